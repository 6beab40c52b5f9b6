import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, test } from 'node:test'
import { User } from './petstore.js'

let user = new User()
beforeEach(() => {
  user = new User()
})
afterEach(() => user.leave())

/** @param {number} count */
const csv = count =>
  `name,categoryId\r\n${Array.from({ length: count }, (_, n) => `Pet ${n},1\r\n`).join('')}`

/** @param {string} name */
const readSaved = name => readFileSync(user.path(`petstore/${name}`), 'utf8')

test('pets are listed, and JSON in a pipe is exact', async () => {
  const pets = JSON.parse(await user.ok(['pets', 'list', '--env', 'local']))
  assert.equal(pets.length, 10)
  const names = await user.ok(['pets', 'list', '--env', 'local', '--jq', '.[0].name'])
  assert.equal(names, `${pets[0].name}\n`)
  const table = await user.ok(['pets', 'list', '--env', 'local', '-o', 'csv', '--limit', '1'])
  assert.match(table, /^id,name,categoryId,status\r\n1,/)
})

test('a pet is added and got, whatever its name', async () => {
  const add = ['pets', 'add', '--env', 'local', '--name', 'Zoë 小雪 🐇', '--category-id']
  assert.match(await user.ok([...add, '9007199254740993']), /"categoryId": 9007199254740993/)
  assert.match(await user.ok(['pets', 'get', '11', '--env', 'local']), /Zoë 小雪 🐇/)
})

test('settings are saved below %APPDATA%, by several programs at once', async () => {
  await user.ok(['config', 'set', 'timeout', '5'])
  const names = ['a', 'b', 'c', 'd']
  await Promise.all(names.map(name => user.ok(['env', 'set', name, '--base-url', 'https://a/v1'])))
  assert.equal(await user.ok(['config', 'path']), `${user.path('petstore/config.json')}\n`)
  const { preferences, environments } = JSON.parse(readSaved('config.json'))
  assert.equal(preferences.timeout, 5)
  assert.deepEqual(Object.keys(environments).sort(), names)
})

test('a login with a key from a pipe, with a line end of Windows', async () => {
  const { url, apiKey } = await user.serve()
  const login = ['auth', 'login', '--env', 'demo', '--base-url', url]
  assert.equal((await user.fails(login, { input: 'wrong_key_123\r\n' })).exitCode, 4)
  await user.ok(login, { input: `${apiKey}\r\n` })
  assert.equal(await user.ok(['pets', 'list', '--env', 'demo', '--jq', 'length']), '0\n')
})

test('a login by prompt', async () => {
  const { url, apiKey } = await user.serve()
  const login = user.start(['auth', 'login', '--env', 'demo'], { env: { FAKE_CONSOLE: '1' } })
  await login.printed('stderr', /base URL/i)
  login.child.stdin.write(`${url}\r`)
  await login.printed('stderr', /API key/)
  login.child.stdin.write(`${apiKey}\r`)
  await login.printed('stderr', /messages URL/i)
  login.child.stdin.write('\r')
  const { code, stderr } = await login.ended
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stderr, new RegExp(apiKey))
  assert.equal(await user.ok(['auth', 'token', '--env', 'demo']), `${apiKey}\n`)
})

test('a killed import is resumed, and only one runs at a time', async () => {
  const { env } = await user.serve()
  writeFileSync(user.path('pets.csv'), csv(400))
  const args = ['pets', 'import', 'pets.csv', '--concurrency', '2']
  const first = user.start(args, { env })
  await first.printed('stdout', /(.*\n){50}/)
  assert.equal((await user.fails(args, { env })).exitCode, 9)
  first.child.kill()
  await first.ended
  const { stdout } = await user.run(args, { env })
  const lines = stdout.trim().split('\n')
  assert.equal(lines.length, 400)
  assert.ok(lines.filter(line => /"(skipped|doubtful)"/.test(line)).length >= 50)
})

test('Ctrl-C ends an import with a summary, and the next run goes on', async () => {
  const { env } = await user.serve()
  writeFileSync(user.path('pets.csv'), csv(400))
  const args = ['pets', 'import', 'pets.csv', '--concurrency', '2']
  const first = user.start(args, { env })
  await first.printed('stdout', /"added"/)
  const { code, stderr } = await first.pressCtrlC()
  assert.equal(code, 130, stderr)
  assert.match(stderr, /"summary"/)
  const { stdout } = await user.run(args, { env })
  assert.equal(stdout.match(/"(added|skipped)"/g)?.length, 400)
})

test('rows from a pipe, and the rejected ones in a file', async () => {
  const input = 'name,categoryId\r\nRex,1\r\nMax,x\r\n'
  const args = ['pets', 'import', '-', '--env', 'local', '--rejects', 'bad.csv']
  assert.equal((await user.run(args, { input })).code, 8)
  assert.equal(readFileSync(user.path('bad.csv'), 'utf8'), 'name,categoryId\r\nMax,x\r\n')
})

test('a file is the same file, whatever the letters of its name', async () => {
  const args = ['pets', 'import', '--env', 'local']
  writeFileSync(user.path('pets.csv'), csv(1))
  await user.ok([...args, 'pets.csv'])
  assert.equal((await user.fails([...args, 'pets.csv', '--rejects', 'PETS.CSV'])).exitCode, 2)
  assert.equal(readFileSync(user.path('pets.csv'), 'utf8'), csv(1))
  writeFileSync(user.path('pets.csv'), csv(2))
  assert.match(await user.ok([...args, 'PETS.CSV']), /"skipped"/)
})

test('a message, as an argument and from a pipe', async () => {
  const { env } = await user.serve()
  assert.match(await user.ok(['messages', 'send', 'hi'], { env }), /"message": "hi"/)
  const piped = await user.ok(['messages', 'send', '-'], { env, input: 'Zoë\r\n' })
  assert.match(piped, /"message": "Zoë"/)
})

test('Ctrl-C ends the service with 0, also when it has just saved its key', async () => {
  const { server } = await user.serve()
  assert.match(readSaved('config.json'), /local_/)
  const { code, stderr } = await server.pressCtrlC()
  assert.equal(code, 0, stderr)
})

test('Ctrl-C ends a watch with 130 and without an error', async () => {
  const watch = user.start(['pets', 'list', '--watch', '1', '--env', 'local', '-q'])
  await watch.printed('stdout', /"event":"added"/)
  const { code, stderr } = await watch.pressCtrlC()
  assert.deepEqual({ code, stderr }, { code: 130, stderr: '' })
})

test('the local data is deleted, unless another program uses it', async () => {
  const server = user.start(['serve', '--port', '0', '--json', '-q'])
  await server.printed('stdout', /apiKey/)
  assert.equal((await user.fails(['env', 'unset', 'local', '--yes'])).exitCode, 9)
  await server.pressCtrlC()
  await user.ok(['env', 'unset', 'local', '--yes'])
  assert.equal(existsSync(user.path('petstore/local.db')), false)
})

test('a reader that has seen enough ends the program with 0', async () => {
  const list = user.start(['pets', 'list', '--env', 'local'])
  list.child.stdout.destroy()
  const { code, stderr } = await list.ended
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
})

test('dry runs and hints are for PowerShell', async () => {
  const add = ['pets', 'add', '--name', "Zoë's", '--category-id', '1', '--env', 'local']
  const { curl } = JSON.parse(await user.ok([...add, '--dry-run', '--json']))
  assert.match(curl, /^'{"name":"Zo\\u00eb''s","categoryId":1}' \| curl\.exe /)
  assert.match(curl, /"authorization: Bearer \$env:PETSTORE_API_KEY"/)
  const env = { PETSTORE_TIMEOUT: 'x', PETSTORE_BASE_URL: 'https://a/v1', PETSTORE_API_KEY: 'k' }
  const variable = await user.fails(['pets', 'list'], { env })
  assert.equal(variable.hint, 'Remove-Item Env:PETSTORE_TIMEOUT')
  const path = user.path('petstore/config.json')
  await user.ok(['config', 'set', 'timeout', '5'])
  writeFileSync(path, '{')
  assert.equal((await user.fails(['config', 'list'])).hint, `Move-Item '${path}' '${path}.old'`)
})
