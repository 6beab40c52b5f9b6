import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { createImport, endOfImport, startImport } from './audit.ts'
import { type Expected, petsIn, runCase, type Service, startService } from './cases.ts'
import { freePort, type Server, startServer } from './servers.ts'

/** Prism and the Node that it needs, from npm's cache. */
const [prism = 'prism', node = 'node'] = findPrism()

const requests: readonly (readonly [name: string, ...argv: string[]])[] = [
  ['a list', 'pets', 'list'],
  ['a list with all options', 'pets', 'list', '--status', 'sold', '--limit', '100'],
  ['a pet', 'pets', 'add', '--name', 'Rex', '--category-id', '7'],
  ['a pet with all fields', 'pets', 'add', '--name', 'Rex', '--category-id', '7', '--status', 'sold'],
  ['one pet', 'pets', 'get', '1'],
  ['a message', 'messages', 'send', 'hello'],
]
const notices: Readonly<Record<string, readonly string[]>> = { 'one pet': ['deprecated'], 'a message': ['queued'] }

const badRequests: readonly [
  name: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  expected: Expected,
][] = [
  [
    'a field is missing',
    ['api', 'POST', '/pets', '-f', 'name=Rex'],
    {},
    { code: 3, message: /\(422\): Invalid request.*'categoryId'/ },
  ],
  ['a limit is too large', ['api', 'GET', '/pets', '-f', 'limit=101'], {}, { code: 3, message: /\(422\).*limit.*100/ }],
  ['a path is unknown', ['api', 'GET', '/cats'], {}, { code: 5, message: /\(404\): .*no path matched/ }],
  ['the key is wrong', ['pets', 'list'], { PETSTORE_API_KEY: 'sk_test_wrong' }, { code: 4, message: /\(401\)/ }],
]

needs(prism, 'sqlite3')('Prism', () => {
  test('mocks the service, and reports no violation by a request', async () => {
    const service = await startService()
    const { env, server } = await startPrism(service, 'mock')
    for (const [name, ...argv] of requests) {
      // The state of a message from the mock is not "queued".
      const expected = { code: 0, notices: name === 'a message' ? [] : (notices[name] ?? []) }
      await runCase({ name: `mock: ${name}`, argv, env, expected })
    }
    expect(violationsIn(server)).toEqual([])
    for (const [status, code] of [
      [400, 3],
      [401, 4],
      [500, 7],
    ] as const) {
      const argv = ['api', 'GET', '/pets', '-H', `Prefer: code=${status}`]
      await runCase({ name: `mock: ${status}`, argv, env, expected: { code, message: new RegExp(`\\(${status}\\)`) } })
    }
  })

  test('reports no violation by a request or a reply between the program and the service', async () => {
    const service = await startService()
    const { env, server } = await startPrism(service, 'proxy')
    for (const [name, ...argv] of [...requests.slice(2), ...requests.slice(0, 2)]) {
      await runCase({ name: `proxy: ${name}`, argv, env, expected: { code: 0, notices: notices[name] ?? [] } })
    }
    expect(petsIn(service.database).get('Rex')).toEqual(['1', '2'])
    expect(violationsIn(server)).toEqual([])
  })

  test('reports no violation by an import', async () => {
    const service = await startService()
    const { env, server } = await startPrism(service, 'proxy')
    const job = createImport(100)
    const end = await endOfImport(job, startImport(job, env), service.database)
    expect(end).toMatchObject({ code: 0, added: 100, doubtful: 0, inDatabase: 100 })
    expect(violationsIn(server)).toEqual([])
  })

  test('reports violations by invalid requests', async () => {
    const service = await startService()
    const { env, server } = await startPrism(service, 'proxy')
    for (const [name, argv, extra, expected] of badRequests) {
      await runCase({ name: `proxy: ${name}`, argv, env: { ...env, ...extra }, expected })
    }
    expect(violationsIn(server).length).toBeGreaterThan(0)
    expect(petsIn(service.database).size).toBe(0)
  })
})

/** The paths of both programs. The first installation takes half a minute; without a network, the result is empty. */
function findPrism(): string[] {
  const packages = ['node@24', '@stoplight/prism-cli@5'].map((name) => `--package=${name}`)
  const npx = spawnSync(
    'npx',
    ['--yes', '--prefer-offline', ...packages, '-c', 'command -v prism && command -v node'],
    {
      // npm's cache is in the user's home, but the tests set another HOME.
      env: { ...process.env, HOME: userInfo().homedir },
      encoding: 'utf8',
    },
  )
  return npx.status === 0 ? npx.stdout.trim().split('\n') : []
}

interface Prism {
  readonly server: Server
  readonly env: Readonly<Record<string, string>>
}

/** Prism gets only the OpenAPI document of the service. */
async function startPrism(service: Service, mode: 'mock' | 'proxy'): Promise<Prism> {
  const [directory, port, upstream] = [temporaryDirectory(), await freePort(), `http://127.0.0.1:${service.port}`]
  const headers = { authorization: `Bearer ${service.env.PETSTORE_API_KEY}` }
  const document = await (await fetch(`${upstream}/v1/openapi.json`, { headers })).text()
  writeFileSync(join(directory, 'openapi.json'), document)
  const options = ['--errors', '--host', '127.0.0.1', '--port', String(port)]
  const command = [node, prism, mode, 'openapi.json', ...(mode === 'proxy' ? [upstream] : []), ...options]
  const server = await startServer(directory, [port], command)
  const url = `http://127.0.0.1:${port}`
  return { server, env: { ...service.env, PETSTORE_BASE_URL: `${url}/v1`, PETSTORE_MESSAGES_URL: url } }
}

/** The lines of Prism's log that report a violation of the document. */
function violationsIn(server: Server): string[] {
  return server
    .log()
    .split('\n')
    .filter((line) => /violation|error|warning/i.test(line))
}
