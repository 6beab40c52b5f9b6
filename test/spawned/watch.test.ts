import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { type Answer, type Handler, recordingServer } from '../support/recording-server.ts'
import { programCommand, spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const rex = { id: 9007199254740993n, name: 'Rex', categoryId: 2n, status: 'available' }
const tom = { id: 2n, name: 'Tom', categoryId: 1n }
const key = 'sk_watch_12345678'

/** Sends the answers in order, and repeats the last one. */
const inOrder = (...answers: Answer[]): Handler => {
  let turn = 0
  return () => answers[Math.min(turn++, answers.length - 1)]
}

const list = (...pets: object[]): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(pets, (_, value) =>
    typeof value === 'bigint' ? `#${value}` : value
  ).replace(/"#(\d+)"/g, '$1')
})
const broken: Answer = {
  status: 500,
  json: { code: 'broken', message: `the key ${key} broke it`, status: 500 }
}

const envFor = (server: { url: string }) => ({
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: `${server.url}/v1`
})

describe('in a pipe', () => {
  test('prints an event per line, exact and in order, until Ctrl-C ends it with 130', async () => {
    const server = await recordingServer(
      inOrder(list(rex), list({ ...rex, status: 'sold' }, tom), broken, list(tom), list(tom))
    )
    const running = startCli(['pets', 'list', '--watch', '0.1', '--limit', '7'], {
      env: envFor(server)
    })
    await running.printed('stdout', '"gone"')
    running.child.kill('SIGINT')
    const { code, stdout, stderr } = await running.finished
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' })

    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toContain(
      '"pet":{"id":9007199254740993,"name":"Rex","categoryId":2,"status":"available"}'
    )
    const events = lines.map(line => JSON.parse(line))
    expect(events.map(({ event }) => event)).toEqual(['added', 'changed', 'added', 'error', 'gone'])
    expect(events[1]).toMatchObject({ pet: { status: 'sold' }, was: { status: 'available' } })
    expect(events[2]).toMatchObject({ pet: { name: 'Tom' } })
    expect(events[3]).toMatchObject({
      error: { code: 'service', exitCode: 7, status: 500 },
      nextLookInSeconds: 0.2
    })
    expect(stdout).not.toContain(key)
    expect(events[4]).toMatchObject({ pet: { name: 'Rex' } })
    for (const { time } of events) expect(new Date(time).toISOString()).toBe(time)
    expect(server.requests.every(({ path }) => path === '/v1/pets?limit=7')).toBe(true)
  })

  test('SIGTERM ends it like Ctrl-C: silently, with 143', async () => {
    const server = await recordingServer(list(rex))
    const running = startCli(['pets', 'list', '--watch'], { env: envFor(server) })
    await running.printed('stdout', '"added"')
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.finished
    expect({ code, stderr }).toEqual({ code: 143, stderr: '' })
  })

  test('shows changes that another program makes in the local service', async () => {
    const home = temporaryDirectory()
    const running = startCli(
      ['pets', 'list', '--watch', '0.1', '--env', 'local', '--limit', '100'],
      { home }
    )
    await running.printed('stdout', '"added"')
    await spawnCli(['pets', 'add', '--env', 'local', '--name', 'Newcomer', '--category-id', '1'], {
      home
    })
    await running.printed('stdout', 'Newcomer')
    running.child.kill('SIGINT')
    expect((await running.finished).code).toBe(130)
  })

  test('ends silently with 0 when the reader closes the pipe', async () => {
    let turn = 0
    const server = await recordingServer(() => list({ ...rex, name: `turn ${turn++}` }))
    const running = startCli(['pets', 'list', '--watch', '0.1'], { env: envFor(server) })
    await running.printed('stdout', '\n')
    running.child.stdout.destroy()
    const { code, stderr } = await running.finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

needs('tmux')('in a terminal', () => {
  const watching = (seconds: string) => [
    ...programCommand,
    'pets',
    'list',
    '--watch',
    seconds,
    '--retries',
    '0'
  ]
  const open = (
    server: { url: string },
    options: Parameters<typeof openTerminal>[1] = {},
    seconds = '0.3'
  ) => openTerminal(watching(seconds), { ...options, env: envFor(server) })

  test('leaves the screen and the cursor to the shell after Ctrl-Z, and takes them back after fg', async () => {
    const server = await recordingServer(() => list(rex))
    const terminal = await openTerminal(['sh', '-im'], {
      env: { ...envFor(server), PS1: 'shell> ' }
    })
    await terminal.waitFor('shell>')
    await terminal.type(watching('0.3').join(' '))
    await terminal.press('Enter')
    for (const _again of [1, 2]) {
      await terminal.waitFor(/^1 pet \(/)
      expect(await terminal.isCursorShown()).toBe(false)
      await terminal.press('C-z')
      // The alternate screen does not have the command line.
      await terminal.waitFor(/--watch[\s\S]*(Stopped|Suspended)/)
      expect(await terminal.isCursorShown()).toBe(true)
      // Longer than several intervals.
      await delay(1000)
      await terminal.type('fg')
      await terminal.press('Enter')
    }
    await terminal.waitFor(/^1 pet \(/)
    await terminal.press('C-c')
    const screen = await terminal.waitFor(/fg[\s\S]*shell>/)
    expect(screen).not.toContain('Rex')
    expect(await terminal.isCursorShown()).toBe(true)
  })

  test.each(['HUP', 'QUIT'])(
    'SIG%s leaves the screen and the cursor to the shell',
    async signal => {
      const server = await recordingServer(() => list(rex))
      const home = temporaryDirectory()
      const terminal = await openTerminal(['sh', '-im'], {
        env: { ...envFor(server), PS1: 'shell> ' },
        home
      })
      await terminal.waitFor('shell>')
      await terminal.type(`sh -c 'echo $$ >pid; exec ${watching('0.3').join(' ')}'`)
      await terminal.press('Enter')
      await terminal.waitFor(/^1 pet \(/)
      process.kill(Number(readFileSync(join(home, 'pid'), 'utf8')), `SIG${signal}`)
      await terminal.waitFor(/exec[\s\S]*shell>/)
      expect(await terminal.isCursorShown()).toBe(true)
    }
  )

  test('redraws in place, marks what changed, and restores the screen', async () => {
    let now = list(rex)
    const server = await recordingServer(() => now)
    // The marks stay until the next list, which gives a slow machine enough time.
    const terminal = await open(server, {}, '2')
    expect(await terminal.waitFor('Rex')).toMatch(
      /^1 pet \(production, \d\d:\d\d:\d\d\); Ctrl-C ends\n/
    )
    now = list({ ...rex, status: 'sold' }, tom)
    const seen = await terminal.waitFor(/^~.* Rex[\s\S]*^\+.* Tom/m)
    expect(seen).toContain('2 pets, 2 changes')
    expect(seen.match(/Rex/g)).toHaveLength(1)
    now = list(tom)
    await terminal.waitFor(/^-.* Rex/m)
    await terminal.waitFor(/^(?![\s\S]*Rex)[\s\S]*Tom/)
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(130)
    expect(await terminal.screen()).toBe('')
  })

  test('shows a failure below the list, and continues', async () => {
    let now = list(rex)
    const server = await recordingServer(() => now)
    const terminal = await open(server, { columns: 120 })
    await terminal.waitFor('Rex')
    now = { ...broken, headers: {} }
    const seen = await terminal.waitFor(/trying again at \d\d:\d\d:\d\d/)
    expect(seen).toContain('error: the service failed')
    expect(seen).toContain('Rex')
    expect(seen).not.toContain(key)
    now = list(tom)
    expect(await terminal.waitFor('Tom')).not.toContain('error')
  })

  test('follows the size of the terminal, and shows a change among more pets than fit', async () => {
    const many = Array.from({ length: 52 }, (_, index) => ({
      ...tom,
      id: BigInt(index + 1),
      name: `pet ${index}.`
    }))
    let now = list(...many)
    const server = await recordingServer(() => now)
    const terminal = await open(server, { columns: 60, rows: 10 }, '2')
    await terminal.waitFor('52 pets, 44 not shown')
    await terminal.resize(40, 6)
    const small = await terminal.waitFor('52 pets, 48 not shown')
    expect(small.split('\n').every(line => line.length <= 40)).toBe(true)
    now = list(...many, { ...rex, name: 'newcomer' })
    expect(await terminal.waitFor(/^\+ .*900719/m)).toContain('53 pets, 1 change')
  })

  test('a table that just fits shows its last letter', async () => {
    const [columns, widthOfTheRest] = [50, 43]
    const server = await recordingServer(
      list({ ...rex, name: 'x'.repeat(columns - widthOfTheRest) })
    )
    const terminal = await open(server, { columns })
    expect(await terminal.waitFor('xx')).toMatch(/ available$/m)
  })
})
