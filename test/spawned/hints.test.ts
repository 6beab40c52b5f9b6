import { afterAll, beforeAll, describe, test } from 'vitest'
import { type ExampleShell, exampleKey, openExampleShell } from '../support/example-shell.ts'
import { plainCommands } from '../support/examples.ts'
import { runCli } from '../support/run-cli.ts'
import { isStandalone } from '../support/spawn-cli.ts'

let shell: ExampleShell
beforeAll(async () => {
  shell = await openExampleShell()
})
afterAll(() => shell.close())

interface Failing {
  readonly line: string
  readonly hint: string | RegExp
  /** A script that runs before the line in the same shell. */
  readonly before?: string
  readonly home?: 'empty'
  /** Whether the same line works after the hint. */
  readonly helps?: true
}

const breakConfig = 'mkdir -p "$HOME/.config/petstore"; echo "{" >"$(petstore config path)"'
const failing: readonly Failing[] = [
  {
    line: 'petstore pets add "Rex $HOME" 2',
    hint: /^petstore pets add --name 'Rex \/.*' --category-id 2$/
  },
  {
    line: 'petstore messages send hi there',
    hint: "petstore messages send 'hi there'"
  },
  { line: 'petstore auth login --env local', hint: 'petstore auth login --env production' },
  { line: 'petstore serve --fail-with 500', hint: 'petstore serve --help' },
  {
    line: 'petstore pets import bad.csv --check',
    before: 'echo nome >bad.csv',
    hint: 'petstore help import'
  },

  {
    line: 'petstore pets list',
    home: 'empty',
    hint: 'petstore auth login --env production --base-url https://HOST/v1'
  },
  {
    line: 'petstore messages send hello',
    before: 'petstore env set production --base-url https://HOST/v1',
    home: 'empty',
    hint: 'petstore env set production --messages-url https://HOST'
  },
  {
    line: 'petstore pets list',
    before: 'petstore env set production --base-url https://HOST/v1',
    home: 'empty',
    hint: 'petstore auth login --env production',
    helps: true
  },
  {
    line: 'petstore auth login',
    home: 'empty',
    hint: 'petstore auth login --env production --base-url https://HOST/v1'
  },
  {
    line: 'petstore auth login --base-url "$URL" <wrong.txt',
    before: 'URL=https://HOST/v1; echo wrong-key >wrong.txt',
    home: 'empty',
    hint: /^petstore auth login --base-url http:\/\/\S+\/v1 --env production$/
  },
  {
    line: 'petstore env use mine',
    hint: 'petstore env list'
  },
  {
    line: 'petstore auth token --env mine',
    before: 'petstore env set mine --base-url https://HOST/v1',
    hint: 'petstore auth login --env mine',
    helps: true
  },
  {
    line: 'petstore auth status --env mine',
    before: 'petstore env set mine --base-url https://HOST/v1',
    hint: 'petstore auth login --env mine',
    helps: true
  },
  {
    line: 'petstore pets list',
    before: 'export PETSTORE_API_KEY=another-key-123',
    hint: 'petstore help environment'
  },
  {
    line: 'petstore pets list',
    before: 'export PETSTORE_TIMEOUT=soon',
    hint: 'unset PETSTORE_TIMEOUT',
    helps: true
  },
  {
    line: 'petstore pets list',
    before: 'export PETSTORE_BASE_URL=http://127.0.0.1:1/v1',
    hint: 'unset PETSTORE_BASE_URL',
    helps: true
  },
  {
    line: 'petstore env list',
    before: breakConfig,
    home: 'empty',
    hint: /^mv -i '?\/.*config\.json'? /,
    helps: true
  },
  {
    line: 'petstore env use local',
    before: 'export PETSTORE_CONFIG_DIR=/dev/null/saved',
    hint: 'export PETSTORE_CONFIG_DIR="$PWD/.petstore"',
    helps: true
  }
]

describe('a hint', () => {
  test.concurrent.for(failing)(
    '$line → $hint',
    async ({ line, before = '', hint, home: kind, helps }, { expect }) => {
      const home = shell.freshHome(kind)
      const setUp = await shell.fillPlaceholders(before)
      const failed = await run([setUp, line], home)
      expect(failed.code).toBeGreaterThan(1)
      const errors = failed.stderr
        .trim()
        .split('\n')
        .map(text => JSON.parse(text))
      const given: string = errors.at(-1).error.hint
      expect(given).toEqual(typeof hint === 'string' ? hint : expect.stringMatching(hint))

      const followed = await shell.fillPlaceholders(given)
      const after = await run([setUp, followed, ...(helps ? [line] : [])], home)
      expect({ code: after.code, stderr: after.stderr }).toEqual({
        code: 0,
        stderr: expect.not.stringContaining('"error"')
      })
    }
  )
})

/**
 * Runs the lines up to the first that fails, in this process if none needs a shell or a file of
 * this directory.
 */
async function run(
  lines: readonly string[],
  home: string
): Promise<{ code: number | null; stderr: string }> {
  const script = lines.filter(line => line !== '').join('\n')
  const commands = isStandalone || /\.csv\b|serve/.test(script) ? undefined : plainCommands(script)
  if (commands === undefined) return shell.run(script, home)
  let result = { code: 0, stderr: '' }
  for (const argv of commands) {
    result = await runCli(argv, { home, stdin: `${exampleKey}\n` })
    if (result.code !== 0) break
  }
  return result
}
