import { needs } from '../../support/needs.ts'
import { type Case, type Expected, testCases } from './cases.ts'
import { createPemFiles } from './pem-files.ts'
import { freePort, startHaproxy, startNginx, startServer } from './servers.ts'

const pemFiles = createPemFiles()

const bothSucceed = { list: { code: 0 }, add: { code: 0 } }

needs(
  'openssl',
  'sqlite3',
  'nginx',
  'haproxy'
)('a service behind TLS', () => {
  testCases([
    nginxCase('private authority, trusted', bothSucceed),
    nginxCase('unreadable authority file', {
      ...bothFail(/certificate.*authority/),
      env: { NODE_EXTRA_CA_CERTS: '/nowhere/authority.pem' }
    }),
    nginxCase('TLS 1.1 only', {
      ...bothFail(/no secure connection/),
      directives: 'ssl_protocols TLSv1.1; ssl_ciphers DEFAULT@SECLEVEL=0;'
    }),
    // The server sends the alert that others send about a certificate.
    nginxCase('no cipher in common', {
      ...bothFail(/the handshake failed \(ERR_SSL_/),
      directives: 'ssl_protocols TLSv1.2; ssl_ciphers NULL:@SECLEVEL=0;'
    }),
    ...['1.2', '1.3'].map(version =>
      nginxCase(`client certificate required, page of nginx, TLS ${version}`, {
        list: { code: 3, message: /No required SSL certificate was sent/ },
        add: { code: 3, message: /No required SSL certificate was sent/ },
        directives: `ssl_protocols TLSv${version}; ssl_client_certificate authority.pem; ssl_verify_client on;`
      })
    ),
    ...['1.2', '1.3'].map(version =>
      haproxyCase(`client certificate required, alert of haproxy, TLS ${version}`, {
        ...bothFail(/client certificate/),
        bind: `ssl-min-ver TLSv${version} ssl-max-ver TLSv${version} ca-file authority.pem verify required`
      })
    ),
    tlsCase(
      'HTTP/2 only, refused in the handshake',
      bothFail(/no secure connection/),
      async (front, _, certificate) => {
        const own = ['-accept', `127.0.0.1:${front}`, '-cert', certificate, '-key', certificate]
        await startServer(
          pemFiles.directory,
          [front],
          ['openssl', 's_server', ...own, '-alpn', 'h2', '-quiet']
        )
      }
    ),
    haproxyCase('HTTP/2 only', {
      list: { code: 6, message: /lost/, repeats: 1 },
      add: { code: 10, message: /lost.*may have been added/ },
      bind: 'proto h2'
    }),
    {
      name: 'HTTP/2 only, without TLS',
      list: { code: 7, message: /not HTTP/ },
      add: { code: 10, message: /not HTTP.*may have been added/ },
      open: async ({ port }) => {
        const front = await freePort()
        const server = `listen 127.0.0.1:${front} http2; location / { proxy_pass http://127.0.0.1:${port}; }`
        await startNginx([front], `server { ${server} }`)
        return { PETSTORE_BASE_URL: `http://127.0.0.1:${front}/v1` }
      }
    }
  ])
})

interface TlsCase extends Pick<Case, 'list' | 'add'> {
  readonly env?: Readonly<Record<string, string>>
}

function bothFail(message: RegExp): { list: Expected; add: Expected } {
  return { list: { code: 6, message }, add: { code: 6, message } }
}

function nginxCase(
  name: string,
  { directives = '', ...tls }: TlsCase & { directives?: string }
): Case {
  return tlsCase(name, tls, async (front, back, certificate) => {
    await startNginx(
      [front],
      `server {
        listen 127.0.0.1:${front} ssl;
        ssl_certificate ${certificate}; ssl_certificate_key ${certificate};
        ${directives.replaceAll('authority.pem', pemFiles.authority)}
        location / { proxy_pass http://127.0.0.1:${back}; }
      }`
    )
  })
}

function haproxyCase(name: string, { bind, ...tls }: TlsCase & { bind: string }): Case {
  return tlsCase(name, tls, async (front, back, certificate) => {
    const options = bind.replace('authority.pem', pemFiles.authority)
    await startHaproxy(
      [front],
      `
frontend front
  bind 127.0.0.1:${front} ssl crt ${certificate} ${options}
  default_backend back
backend back
  server pets 127.0.0.1:${back}`
    )
  })
}

function tlsCase(
  name: string,
  { env = {}, list, add }: TlsCase,
  start: (front: number, back: number, certificate: string) => Promise<void>
): Case {
  return {
    name,
    list,
    add,
    open: async ({ port }) => {
      const front = await freePort()
      await start(front, port, pemFiles.withKey('good'))
      return {
        PETSTORE_BASE_URL: `https://127.0.0.1:${front}/v1`,
        NODE_EXTRA_CA_CERTS: pemFiles.authority,
        ...env
      }
    }
  }
}
