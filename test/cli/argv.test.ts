import { CommanderError, type Option } from '@commander-js/extra-typings'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readArgv } from '../../src/cli/argv.ts'
import { parseArgv } from '../../src/cli/parse.ts'
import { program } from '../../src/cli/program.ts'
import { effectiveOptions } from '../../src/cli/shared-options.ts'
import { commandName, commandPath, isGroup, leavesOf, walkTree } from '../../src/cli/tree.ts'
import { command, define, group } from '../../src/commands/declare.ts'
import { runCli } from '../support/run-cli.ts'

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
      ['--quiet', undefined]
    ])
    expect(line).toMatchObject({
      stray: undefined,
      unknownOptions: [],
      isLiteral: true
    })
  })

  test('has the index of every word, flag and value', () => {
    const { options, operands } = lineOf('pets', 'list', '--limit=5', '-qo', 'csv', 'x')
    expect(options.map(({ flag, value }) => [flag.index, value?.index])).toEqual([
      [2, 2],
      [3, undefined],
      [3, 4]
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
      { text: '--status', index: 5 }
    ])
  })

  test('has no value where the next word is an option', () => {
    const valuesOf = (...argv: string[]) =>
      lineOf(...argv).options.map(({ option, value }) => [option.long, value?.text])
    const missing = (long: string) => [long, undefined]
    expect(valuesOf('pets', 'add', '--name', '--status', 'sold')).toEqual([
      missing('--name'),
      ['--status', 'sold']
    ])
    expect(valuesOf('--env', '--limit', '5', 'pets')).toEqual([missing('--env')])
    expect(valuesOf('pets', 'list', '--jq', '--', 'x')).toEqual([missing('--jq')])
    expect(valuesOf('pets', 'list', '--watch', '-q', '5')).toEqual([
      missing('--watch'),
      missing('--quiet')
    ])
    expect(valuesOf('pets', 'add', '--name=--status', '--status=-q')).toEqual([
      ['--name', '--status'],
      ['--status', '-q']
    ])
    expect(valuesOf('pets', 'add', '--name', '-five', '--category-id', '-5')).toEqual([
      ['--name', '-five'],
      ['--category-id', '-5']
    ])
  })

  test.each([
    ['-iv'],
    ['-vi'],
    ['-iq'],
    ['-ie local'],
    ['-iqe local'],
    ['-fa=b -ielocal'],
    ['-iqfa=b']
  ])('has combined letters in any order: %s', letters => {
    const result = parseArgv(program, ['api', ...letters.split(' '), 'GET', '/pets'])
    expect(result).toMatchObject({ values: { args: ['GET', '/pets'], options: { include: true } } })
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
    [['-qe', 'local', '-o', 'csv'], false]
  ])('%j', async (options, isJson) => {
    const argv = ['pets', 'list', ...options, '--limit', 'x']
    const terminal = { stdout: isJson }
    const { stderr } = await runCli(argv, { terminal })
    expect(stderr.startsWith('{')).toBe(isJson)
  })
})

test('a required option that is not given is a mistake', () => {
  const rename = command('rename', 'rename a pet', {
    examples: '',
    prints: ['object', 'pet']
  })
  const tree = group('petstore', 'pets', [
    define(rename.requiredOption('--name <name>', 'its name'), async () => {})
  ])
  const resultOf = (...argv: string[]) => parseArgv(tree, ['rename', ...argv])
  expect(resultOf()).toMatchObject({
    mistake: { kind: 'missing option', option: { long: '--name' } }
  })
  expect(resultOf('--name', 'Rex')).toMatchObject({ values: { options: { name: 'Rex' } } })
})

/** A valid value for each placeholder. Some begin with a dash. */
const samples: Readonly<Record<string, readonly string[]>> = {
  number: ['0', '7'],
  count: ['1', '100'],
  id: ['7', '-5'],
  key: ['a=b', '='],
  seconds: ['2', '.5'],
  ms: ['0'],
  share: ['0.5'],
  how: ['503', 'drop'],
  host: ['::1'],
  names: ['name', 'id']
}

/** Any valid command line: a command with its words and options in any order and any spelling. */
const validLine = fc.constantFrom(...leavesOf(program)).chain(command => {
  const sample = (name: string, choices: readonly string[] | undefined) =>
    fc.constantFrom(...(choices ?? samples[name] ?? ['x', '', '-', 'a b', '-x=1', '-9.5']))
  const words = command.registeredArguments
    .filter(({ variadic }) => !variadic)
    .map(argument => {
      if (argument.name() === 'method') return fc.constantFrom('GET', 'post')
      const isNumber = argument.name() === 'id'
      return isNumber
        ? sample('id', undefined)
        : fc.constantFrom(...(argument.argChoices ?? ['x', '-', 'a=b', '-7']))
    })
  const options = fc
    .shuffledSubarray(
      effectiveOptions(command).filter(({ long }) => !['--help', '--file'].includes(long ?? ''))
    )
    .chain(chosen => fc.tuple(...chosen.map(option => spelled(option, sample))))
  return fc.tuple(fc.tuple(...words), options).chain(([operands, typed]) => {
    const path = commandName(command).split(' ')
    const shared = program.options.flatMap(({ short, long }) => [short, long])
    // Only shared options can stand before the command.
    const isShared = (option: readonly string[]) =>
      shared.some(flag => option[0]?.split('=')[0] === flag)
    const before = typed.filter((option, index) => index % 2 === 0 && isShared(option))
    const after = typed.filter(option => !before.includes(option))
    const parts = [...after, ...operands.map(word => [word])]
    return fc
      .shuffledSubarray(
        parts.map((_, index) => index),
        { minLength: parts.length }
      )
      .map(order => {
        const inOrder = order.map(index => parts[index] ?? [])
        const left = [...operands]
        // Operands stay in their order.
        const rest = inOrder.map(part => (after.includes(part) ? part : [left.shift() ?? '']))
        return [...before.flat(), ...path, ...rest.flat()]
      })
  })
})

function spelled(
  option: Option,
  sample: (name: string, choices?: readonly string[]) => fc.Arbitrary<string>
) {
  const { long = '', short, flags, required, optional, argChoices } = option
  if (!required && !optional) return fc.constantFrom([long], [short ?? long])
  const name = /[<[](\w+)/.exec(flags)?.[1] ?? ''
  return sample(name, argChoices).chain(value => {
    const apart =
      optional || value.startsWith('-')
        ? []
        : [
            [long, value],
            [short ?? long, value]
          ]
    const glued = short === undefined || value === '' ? [] : [[short + value]]
    return fc.constantFrom([`${long}=${value}`], ...apart, ...glued)
  })
}

test('parseArgv and commander agree on every valid command line', () => {
  let valid = 0
  fc.assert(
    fc.property(validLine, argv => {
      const expected = parseByCommander(argv)
      const { mistake, values } = parseArgv(program, argv)
      // Commander has no error for an option that has no effect on a command, nor for an option of
      // a command that excludes one of the program's.
      if (mistake?.kind === 'refused' || mistake?.kind === 'conflict') return
      if (typeof expected === 'object') valid += 1
      const result = mistake === undefined ? values : 'mistake'
      expect({ argv, result }).toEqual({ argv, result: expected })
    }),
    { numRuns: 1000 }
  )
  expect(valid).toBeGreaterThan(500)
})

test('parseArgv refuses every other command line that commander refuses', () => {
  const words = fc.constantFrom(
    ...'-q -v -qx -e -elocal -qe --env --env=local local -o json -ojson --json --jq=. --no-color x pets list lst a=b - --'.split(
      ' '
    ),
    ...'--limit 5 -5 --limit=7 --watch --watch=2 -w --status sold --no-verify --yes -F --file --id --restart'.split(
      ' '
    )
  )
  const commands = fc.constantFrom(
    '',
    'pets',
    'pets list',
    'pets get',
    'pets import',
    'api GET',
    'env unset',
    'help pets'
  )
  fc.assert(
    fc.property(commands, fc.array(words, { maxLength: 6 }), (command, rest) => {
      const argv = [...command.split(' ').filter(Boolean), ...rest]
      const { mistake, page, values } = parseArgv(program, argv)
      if (mistake !== undefined || page !== undefined) return
      expect({ argv, values }).toEqual({ argv, values: parseByCommander(argv) })
    }),
    { numRuns: 700 }
  )
})

// Commander stores what it has parsed in the commands, so it gets its own.
vi.resetModules()
const byCommander = (await import('../../src/cli/program.ts')).program
vi.resetModules()
let run: unknown
for (const command of walkTree(byCommander)) {
  command.exitOverride().allowExcessArguments(false)
  command.configureOutput({ writeOut: () => {}, writeErr: () => {} })
  if (isGroup(command)) continue
  command.action(() => {
    run = { options: command.opts(), args: command.processedArgs }
  })
}

/** The result of parsing a command line with commander alone. */
function parseByCommander(argv: readonly string[]) {
  try {
    byCommander.parse([...argv], { from: 'user' })
    return run
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return 'mistake'
  }
}
