import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from '../../support/needs.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { type Case, testCases } from './cases.ts'
import { createPemFiles } from './pem-files.ts'
import {
  freePort,
  proxiedHost,
  startHaproxy,
  startNginx,
  startSquid,
  startTinyproxy
} from './servers.ts'

type Expectations = Omit<Case, 'name' | 'open'>

const pemFiles = createPemFiles()

const password = 'p@ss/word'
const login = 'bob:p%40ss%2Fword@'
const succeed: Expectations = { list: { code: 0 }, add: { code: 0 } }
/** A status that leaves a change in doubt. */
const failed = (message: RegExp, repeats = 0): Expectations => ({
  list: { code: 7, message, repeats },
  add: { code: 10, message }
})
const both = (code: number, message: RegExp, repeats = 0): Expectations => ({
  list: { code, message, repeats },
  add: { code, message, repeats }
})

/** Rules that require a login. */
function squidLogin(): string {
  const directory = temporaryDirectory()
  const passwords = join(directory, 'passwords')
  const hash = execFileSync('openssl', ['passwd', '-apr1', password], { encoding: 'utf8' })
  writeFileSync(passwords, `bob:${hash}`)
  // Squid's helper reads the file as another user.
  chmodSync(directory, 0o755)
  return `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${passwords}
acl known proxy_auth REQUIRED
http_access deny !known`
}

needs(
  'openssl',
  'sqlite3',
  'nginx',
  'haproxy',
  'squid'
)('through squid', () => {
  const wantsLogin = /proxy http:\/\/127\.0\.0\.1:\d+ .*407/
  testCases([
    plain('plain http, stock configuration', succeed, async port => {
      await startSquid(port)
      return { http_proxy: `http://127.0.0.1:${port}` }
    }),
    plain('plain http, with the right login', succeed, async port => {
      await startSquid(port, squidLogin())
      return { http_proxy: `http://${login}127.0.0.1:${port}` }
    }),
    secure('https, stock configuration', both(6, /proxy .*refused.*403/), async port => {
      await startSquid(port)
      return { https_proxy: `http://127.0.0.1:${port}` }
    }),
    secure('https, with its port allowed', succeed, async (port, back) => {
      await startSquid(port, `acl SSL_ports port ${back}`)
      return { https_proxy: `http://127.0.0.1:${port}` }
    }),
    secure('https, with the right login', succeed, async (port, back) => {
      await startSquid(port, `acl SSL_ports port ${back}\n${squidLogin()}`)
      return { https_proxy: `http://${login}127.0.0.1:${port}` }
    }),
    secure('https, without a login', both(6, wantsLogin), async (port, back) => {
      await startSquid(port, `acl SSL_ports port ${back}\n${squidLogin()}`)
      return { https_proxy: `http://127.0.0.1:${port}` }
    }),
    secure('https, and TLS to the proxy too', succeed, async (port, back) => {
      await startSquidWithTls(port, `acl SSL_ports port ${back}`)
      return { https_proxy: `https://127.0.0.1:${port}` }
    }),
    plain('plain http, and TLS to the proxy', succeed, async port => {
      await startSquidWithTls(port)
      return { http_proxy: `https://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: pemFiles.authority }
    }),
    // A forwarded request may have reached the service: only the reply of a tunnel is certainly the
    // proxy's.
    plain('plain http, but the service is not running', failed(/\(503\)/, 1), async port => {
      await startSquid(port)
      const address = `http://${proxiedHost}:${await freePort()}/v1`
      return { http_proxy: `http://127.0.0.1:${port}`, PETSTORE_BASE_URL: address }
    }),
    plain('plain http, but squid refuses the host', both(4, /\(403\)/), async port => {
      await startSquid(port, `acl pets dstdomain ${proxiedHost}\nhttp_access deny pets`)
      return { http_proxy: `http://127.0.0.1:${port}` }
    }),
    plain(
      'plain http, but the service adds the pet and closes the connection',
      {
        ...failed(/\(502\)/, 1),
        serve: ['--fail', '1', '--fail-with', 'drop', '--seed', '756'],
        isAdded: true
      },
      async port => {
        await startSquid(port)
        return { http_proxy: `http://127.0.0.1:${port}` }
      }
    ),
    secure('https, but the service is not running', both(6, /proxy .*503/), async port => {
      const nothing = await freePort()
      await startSquid(port, `acl SSL_ports port ${nothing}`)
      return {
        https_proxy: `http://127.0.0.1:${port}`,
        PETSTORE_BASE_URL: `https://${proxiedHost}:${nothing}/v1`
      }
    }),
    secure(
      'https, but squid is silent',
      { ...both(6, /proxy .*within 1 s/, 1), timeout: 1 },
      async port => {
        const squid = await startSquid(port)
        squid.child.kill('SIGSTOP')
        return { https_proxy: `http://127.0.0.1:${port}` }
      }
    )
  ])
})

needs(
  'openssl',
  'sqlite3',
  'nginx',
  'tinyproxy',
  'unshare',
  'a mount namespace'
)('through tinyproxy', () => {
  testCases([
    plain('plain http, stock configuration of tinyproxy', succeed, async port => {
      await startTinyproxy(port)
      return { http_proxy: `http://127.0.0.1:${port}` }
    }),
    plain(
      'plain http, tinyproxy, but the service is not running',
      failed(/\(500\)/),
      async port => {
        await startTinyproxy(port)
        const address = `http://${proxiedHost}:${await freePort()}/v1`
        return { http_proxy: `http://127.0.0.1:${port}`, PETSTORE_BASE_URL: address }
      }
    ),
    plain('plain http, tinyproxy, without a login', both(6, /proxy .*407/), async port => {
      await startTinyproxy(port, 'BasicAuth bob word')
      return { http_proxy: `http://127.0.0.1:${port}` }
    }),
    secure('https, stock configuration of tinyproxy', succeed, async port => {
      await startTinyproxy(port)
      return { https_proxy: `http://127.0.0.1:${port}` }
    })
  ])
})

/** haproxy terminates TLS in front of squid. */
async function startSquidWithTls(port: number, rules?: string): Promise<void> {
  const squid = await freePort()
  await startSquid(squid, rules)
  await startHaproxy(
    [port],
    `
listen proxy
  mode tcp
  bind 127.0.0.1:${port} ssl crt ${pemFiles.withKey('good')}
  server squid 127.0.0.1:${squid}`
  )
}

type StartProxy = (port: number, back: number) => Promise<Readonly<Record<string, string>>>

function plain(name: string, expectations: Expectations, start: StartProxy): Case {
  return {
    name,
    ...expectations,
    open: async ({ port }) => ({
      PETSTORE_ALLOW_HTTP: '1',
      PETSTORE_BASE_URL: `http://${proxiedHost}:${port}/v1`,
      ...(await start(await freePort(), port))
    })
  }
}

/** The service is behind nginx, which terminates TLS. */
function secure(name: string, expectations: Expectations, start: StartProxy): Case {
  return {
    name,
    ...expectations,
    open: async ({ port }) => {
      const front = await freePort()
      const certificate = pemFiles.withKey('named')
      await startNginx(
        [front],
        `server {
          listen 127.0.0.1:${front} ssl;
          ssl_certificate ${certificate}; ssl_certificate_key ${certificate};
          location / { proxy_pass http://127.0.0.1:${port}; }
        }`
      )
      return {
        NODE_EXTRA_CA_CERTS: pemFiles.authority,
        PETSTORE_BASE_URL: `https://${proxiedHost}:${front}/v1`,
        ...(await start(await freePort(), front))
      }
    }
  }
}
