import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needs, withOwnNetwork } from '../../support/needs.ts'
import { spawnCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { type Expected, runCase } from './cases.ts'

/** The configured name servers and search domains. */
interface Resolver {
  readonly servers: readonly string[]
  readonly domains?: readonly string[]
}

const nxdomainServer = [
  process.execPath,
  fileURLToPath(new URL('name-server.cjs', import.meta.url))
]
const service = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: 'https://no.example/v1' }
const behindProxy = { ...service, https_proxy: 'http://proxy.example:3128' }
const commands = [
  ['pets', 'list'],
  ['pets', 'add', '--name', 'Rex', '--category-id', '1']
]

needs('unshare', 'a network namespace')('a name server', () => {
  test.each<
    [
      name: string,
      command: readonly string[],
      env: Readonly<Record<string, string>>,
      expected: Expected
    ]
  >([
    [
      'has no such host',
      nxdomainServer,
      service,
      { code: 6, message: /no host named no\.example/ }
    ],
    [
      'has no such proxy',
      nxdomainServer,
      behindProxy,
      { code: 6, message: /proxy\.example, the proxy/ }
    ],
    ['is not running', [], service, { code: 6, message: /name no\.example cannot/, repeats: 1 }]
  ])('%s', async (name, command, env, expected) => {
    const under = [...networkWith({ servers: ['127.0.0.1'] }), ...command]
    for (const argv of commands)
      await runCase({ name: `name server: ${name}`, argv, env, expected, under })
  })
})

needs('unshare', 'a network namespace')('a silent name server', () => {
  const [first, second, third] = ['10.9.9.200', '10.9.9.201', '10.9.9.202'] as const
  const many = { servers: [first, second, third], domains: ['a.example', 'b.example'] }
  test.each<
    [name: string, env: Readonly<Record<string, string>>, resolver: Resolver, mostSeconds: number]
  >([
    ['one', service, { servers: [first] }, 2 + 1],
    ['one, with a proxy', behindProxy, { servers: [first] }, 2 + 1],
    ['three, with two search domains', service, many, 2 + 9]
  ])('%s: the process ends in time', async (name, env, resolver, mostSeconds) => {
    const message = env === service ? /no\.example/ : /proxy\.example/
    for (const argv of commands) {
      const started = performance.now()
      await runCase({
        name: `silent name server: ${name}`,
        argv,
        env,
        expected: { code: 6, message },
        timeout: 2,
        retries: 0,
        under: networkWith(resolver)
      })
      // A busy machine adds much less than the lookups would take without the limit: 10 and 60 s.
      expect((performance.now() - started) / 1000).toBeLessThan(mostSeconds + 4)
    }
  })

  test('does not truncate the output for a slow reader', async () => {
    const directory = temporaryDirectory()
    const [rows, preload] = [join(directory, 'rows.ndjson'), join(directory, 'preload.cjs')]
    writeFileSync(rows, '{"name":"Rex","categoryId":1}\n'.repeat(20_000))
    writeFileSync(preload, "require('node:dns').lookup('no.example', () => {})")
    const importing = ['pets', 'import', rows, '--dry-run', '--quiet']
    const whole = await spawnCli(importing, { env: service })
    const slowly = await spawnCli(importing, {
      env: service,
      nodeArguments: ['--require', preload],
      under: [
        ...networkWith({ servers: ['10.9.9.200'] }),
        'sh',
        '-c',
        '"$@" | { sleep 2; cat; }',
        'sh'
      ]
    })
    expect(slowly.stdout.length).toBeGreaterThan(4_000_000)
    expect(slowly.stdout === whole.stdout).toBe(true)
  })
})

/** Runs a program with these name servers. */
function networkWith({ servers, domains = [] }: Resolver): readonly string[] {
  const directory = temporaryDirectory()
  const at = (name: string) => join(directory, name)
  const search = domains.length === 0 ? [] : [`search ${domains.join(' ')}`]
  writeFileSync(
    at('resolv.conf'),
    [...servers.map(server => `nameserver ${server}`), ...search, ''].join('\n')
  )
  // Other sources of names would answer through Unix sockets, which the namespace does not isolate.
  writeFileSync(at('nsswitch.conf'), 'hosts: files dns\n')
  writeFileSync(
    at('enter'),
    `set -e
PATH=$PATH:/usr/sbin:/sbin
ip link set lo up
ip addr add 10.9.9.1/32 dev lo
ip route add 10.9.9.0/24 dev lo
mount --bind ${at('resolv.conf')} /etc/resolv.conf
mount --bind ${at('nsswitch.conf')} /etc/nsswitch.conf
exec "$@"
`
  )
  return [...withOwnNetwork, 'sh', at('enter')]
}
