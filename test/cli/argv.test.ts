import { CommanderError, InvalidArgumentError } from '@commander-js/extra-typings'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readArgv } from '../../src/cli/argv.ts'
import { parseArgv } from '../../src/cli/parse.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { commandPath } from '../../src/cli/tree.ts'
import { Failure } from '../../src/failure.ts'
import { runCli } from '../support/run-cli.ts'

const program = buildProgram('0.0.0')
const lineOf = (...argv: string[]) => readArgv(program, argv)
const texts = (words: readonly { text: string }[]) => words.map(({ text }) => text)

describe('a command line', () => {
  test('has a command, words, operands and options', () => {
    const line = lineOf('--env', 'local', 'pets', 'get', '-q', '7', '--', '-x')
    expect(commandPath(line.command)).toBe('petstore pets get')
    expect(texts(line.words)).toEqual(['pets', 'get', '7', '-x'])
    expect(texts(line.operands)).toEqual(['7', '-x'])
    expect(line.options.map(({ option, value }) => [option.long, value?.text])).toEqual([
      ['--env', 'local'],
      ['--quiet', undefined],
    ])
    expect(line).toMatchObject({ stray: undefined, unknownOptions: [], hasHelpOption: false, isLiteral: true })
  })

  test('has the index of every word, flag and value', () => {
    const { options, operands } = lineOf('pets', 'list', '--limit=5', '-qo', 'csv', 'x')
    expect(options.map(({ flag, value }) => [flag.index, value?.index])).toEqual([
      [3, undefined],
      [3, 4],
      [2, 2],
    ])
    expect(operands).toEqual([{ text: 'x', index: 5 }])
  })

  test('has the first stray word and the unknown options', () => {
    const line = lineOf('pets', 'lst', 'x', '--foo=1', '-qz', '--status')
    expect(line.stray).toEqual({ text: 'lst', index: 1 })
    expect(texts(line.words)).toEqual(['pets', 'lst', 'x'])
    expect(line.unknownOptions).toEqual([
      { text: '--foo=1', index: 3 },
      { text: '-z', index: 4 },
      { text: '--status', index: 5 },
    ])
  })

  test('can end before the value of an option', () => {
    expect(lineOf('pets', 'list', '--status').unfinished?.long).toBe('--status')
    expect(lineOf('pets', 'list', '--watch').unfinished).toBeUndefined()
    expect(lineOf('pets', 'list', '-e').unfinished?.long).toBe('--env')
  })
})

describe('combined short options select the error format like separate options', () => {
  test.each<[options: string[], isJson: boolean]>([
    [['-qo', 'table'], false],
    [['-qotable'], false],
    [['-vo', 'table'], false],
    [['-qo', 'json'], true],
    [['-qojson'], true],
    [['-vojson'], true],
    [['-qe', 'local', '-o', 'csv'], false],
  ])('%j', async (options, isJson) => {
    const argv = ['pets', 'list', ...options, '--limit', 'x']
    const terminal = { stdout: isJson }
    const { stderr } = await runCli(argv, { terminal })
    expect(stderr.startsWith('{')).toBe(isJson)
  })
})

test('parseArgv and commander agree on every command line', () => {
  const lines = [
    '-q -v -qx -e -elocal -qe --env --env=local local -o json -ojson --json --jq=. --no-color -V x pets list lst a=b - --',
    '--limit 5 -5 --limit=7 --watch --watch=2 -w --status sold --no-verify --yes -f -fa=b -F --file --id --man --restart',
  ]
  const words = fc.constantFrom('', ...lines.flatMap((line) => line.split(' ')))
  const commands = fc.constantFrom(
    ...['', 'pets', 'pets list', 'pets get', 'pets import', 'api', 'api GET', 'auth status', 'env unset', 'help pets'],
  )
  fc.assert(
    fc.property(commands, fc.array(words, { maxLength: 6 }), (command, rest) => {
      const argv = [...command.split(' ').filter(Boolean), ...rest]
      const { result } = parseArgv(program, argv)
      const expected = parseByCommander(argv)
      if (typeof result === 'string') expect({ argv, ending: result }).toEqual({ argv, ending: expected })
      else if ('values' in result) expect({ argv, values: result.values }).toEqual({ argv, values: expected })
      // Commander has no error for an option that has no effect on a command.
      else if (!(result.error instanceof Failure)) {
        expect(result.error ?? new InvalidArgumentError('')).toBeInstanceOf(InvalidArgumentError)
        expect({ argv, ending: 'mistake' }).toEqual({ argv, ending: expected })
      }
    }),
    { numRuns: 2000 },
  )
})

/** The result of parsing a command line with commander alone. */
function parseByCommander(argv: readonly string[]) {
  const tree = buildProgram('0.0.0')
  let values: unknown
  for (const command of [tree, ...tree.commands, ...tree.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().allowExcessArguments(false)
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} })
    if (command.commands.length > 0) continue
    command.action(() => {
      values = { options: command.opts(), args: command.processedArgs }
    })
  }
  try {
    tree.parse([...argv], { from: 'user' })
    return values
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const endings: Record<string, string> = { 'commander.version': 'version', 'commander.help': 'group' }
    return error.code === 'commander.helpDisplayed' ? 'help' : (endings[error.code] ?? 'mistake')
  }
}
