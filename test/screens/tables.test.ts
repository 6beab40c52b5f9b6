import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { type Answer, recordingServer } from '../support/recording-server.ts'
import { joinScreens, normalizeScreen } from '../support/screen-text.ts'
import { binPath, nodePath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const names = [
  'Rex',
  '日本語の猫',
  '고양이',
  '🐶 and 🐈',
  'e\u0301clair',
  'שלום',
  'a name that goes on and on, far beyond the edge of a narrow terminal, and then some more',
  '犬'.repeat(70),
  'clears the screen: \u001b[2J',
  ''
]
const statuses = ['available', 'pending', 'sold', 'lost']
const pets = names.map((name, index) => ({
  id: index === 3 ? 900719925474099 : index + 1,
  name,
  categoryId: index % 3,
  status: statuses[index % statuses.length]
}))
const message = {
  id: 'm-1',
  message: 'Do you have a parrot, and if not, when do you expect to have one again?',
  status: 'queued',
  createdAt: '2026-11-21T18:56:24.123Z'
}

const tables: Readonly<Record<string, readonly [argv: readonly string[], answer: Answer]>> = {
  'all kinds of names': [['pets', 'list'], { json: pets }],
  'only some fields': [['pets', 'list', '--fields', 'status,name'], { json: pets.slice(0, 3) }],
  'an empty list': [['pets', 'list'], { json: [] }],
  'an empty list with --quiet': [['pets', 'list', '--quiet'], { json: [] }],
  'a list at its limit': [['pets', 'list', '--limit', '2'], { json: pets.slice(0, 2) }],
  'one pet': [
    ['pets', 'add', '--name', 'Rex', '--category-id', '2'],
    { status: 201, json: pets[0] }
  ],
  'a message': [['messages', 'send', 'hello'], { status: 202, json: message }],
  'the environments': [['env', 'list'], {}]
}

/** What is cut differently in a narrow terminal. */
const narrow = ['all kinds of names', 'only some fields', 'a message', 'the environments']

needs('tmux')('tables', () => {
  test.each([40, 80])('at %i columns match the snapshot', { timeout: 120_000 }, async columns => {
    const screens: Record<string, string> = {}
    for (const [what, [argv, answer]] of Object.entries(tables)) {
      if (columns === 40 && !narrow.includes(what)) continue
      const server = await recordingServer(answer)
      const home = temporaryDirectory()
      const terminal = await openTerminal([nodePath, binPath, ...argv], {
        columns,
        rows: 30,
        home,
        env: {
          TZ: 'UTC',
          PETSTORE_API_KEY: 'sk_test_12345678',
          // A random port would be truncated or wrapped, and the snapshot would vary.
          PETSTORE_BASE_URL: argv[0] === 'env' ? 'https://pets.example/v1' : `${server.url}/v1`,
          PETSTORE_MESSAGES_URL: argv[0] === 'env' ? 'https://messages.example' : server.url
        }
      })
      expect(await terminal.exitCode()).toBe(0)
      const shown = (await terminal.rows()).map(row => row.trimEnd()).join('\n')
      screens[`petstore ${argv.join(' ')} (${what})`] = normalizeScreen(shown, home)
    }
    await expect(joinScreens(screens)).toMatchFileSnapshot(`snapshots/tables-${columns}.txt`)
  })

  test('have a bold header and a color for each known status', async () => {
    const server = await recordingServer({ json: pets })
    const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
    const terminal = await openTerminal([nodePath, binPath, 'pets', 'list'], { env })
    expect(await terminal.exitCode()).toBe(0)
    const screen = await terminal.screen({ withEscapes: true })
    for (const colored of [
      '\u001b[1mid',
      '\u001b[32mavailable',
      '\u001b[33mpending',
      '\u001b[2msold'
    ]) {
      expect(screen).toContain(colored)
    }
  })
})
