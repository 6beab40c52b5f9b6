import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { normalizeScreen } from '../support/screen-text.ts'
import { binPath, nodePath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

/** Command lines that a new user types in this order, in an empty home. */
const scenes: Readonly<Record<string, readonly string[]>> = {
  errors: [
    'petstore pets lst',
    'petstore pets list',
    'petstore pets list --env local --status Sold',
    'petstore pets list --env local --limit 1000',
    'petstore pets get 999 --env local --quiet',
    'petstore pets add --env local --name Rex --category-id two',
    'petstore pets add --env local --name "  " --category-id 2',
    'petstore messages send "" --env local',
    'petstore config set timeout soon',
    'petstore env use nowhere',
    'petstore api GET pets --env local'
  ],
  'first-minutes': [
    'petstore doctor',
    'petstore auth status --no-verify',
    'petstore env set staging --base-url https://pets.example/v1',
    'petstore env use staging',
    'echo sk_1234567890 | petstore auth login --no-verify',
    'petstore auth status --no-verify',
    'petstore env list',
    'petstore config set timeout 5',
    'petstore config get timeout',
    'petstore auth logout',
    'petstore env unset staging'
  ],
  import: [
    'petstore pets import pets.csv --check --env local',
    'petstore pets import pets.csv --env local --rejects rejects.csv',
    'petstore pets import pets.csv --env local',
    'petstore pets import pipes.csv --env local',
    'petstore pets import empty.ndjson --env local'
  ]
}

const files = {
  'pets.csv': `name,categoryId,status\nRex,2,available\n"Tama, 玉",9007199254740993,sold\nNameless,,\nBlue,3,blue\n`,
  'pipes.csv': 'name|categoryId\nRex|2\n',
  'empty.ndjson': ''
}

needs('tmux')('the screens of a new user', () => {
  test.each(Object.entries(scenes))(
    'match the snapshot: %s',
    { timeout: 120_000 },
    async (name, lines) => {
      const home = temporaryDirectory()
      for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text)
      const script = [
        'petstore() { "$NODE" "$PETSTORE" "$@"; }',
        ...lines.map(
          line =>
            `echo ${quoted(`$ ${line}`)}; ${line}; code=$?; [ $code = 0 ] || echo "[exit $code]"`
        )
      ]
      const env = { NODE: nodePath, PETSTORE: binPath, NODE_EXTRA_CA_CERTS: undefined }
      const terminal = await openTerminal(['bash', '-c', script.join('\n')], {
        columns: 80,
        rows: 50,
        home,
        cwd: home,
        env
      })
      await terminal.exitCode()
      const screen = withoutDefaults(normalizeScreen(await terminal.screen(), home))
      await expect(`${screen}\n`).toMatchFileSnapshot(`snapshots/${name}.txt`)
    }
  )
})

/**
 * Removes default settings from the output of `doctor`, so that a new setting does not change the
 * snapshot.
 */
const withoutDefaults = (text: string) => text.replace(/^✓ .*\(default\)\n/gm, '')

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
