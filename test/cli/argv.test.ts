import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readArgv } from '../../src/cli/argv.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { commandPath, leavesOf } from '../../src/cli/tree.ts'
import { runCli } from '../support/run-cli.ts'

const lineOf = (...argv: string[]) => readArgv(buildProgram('0.0.0'), argv)
const texts = (words: readonly { text: string }[]) => words.map(({ text }) => text)

describe('a command line', () => {
  test('has a command, words, operands and options', () => {
    const line = lineOf('--env', 'local', 'pets', 'get', '-q', '7', '--', '-x')
    expect(commandPath(line.command)).toBe('petstore pets get')
    expect(texts(line.words)).toEqual(['pets', 'get', '7', '-x'])
    expect(texts(line.operands)).toEqual(['7', '-x'])
    expect(line.options.map(({ option, value }) => [option.long, value])).toEqual([
      ['--env', 'local'],
      ['--quiet', undefined],
    ])
    expect(line).toMatchObject({ stray: undefined, unknownOptions: [], wantsHelp: false, isLiteral: true })
  })

  test('has the index of every word, flag and value', () => {
    const { options, operands } = lineOf('pets', 'list', '--limit=5', '-qo', 'csv', 'x')
    expect(options.map(({ flag, valueIndex }) => [flag.index, valueIndex])).toEqual([
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

describe('letters together decide the format like separate options', () => {
  test.each<[letters: string[], isJsonWanted: boolean]>([
    [['-qo', 'table'], false],
    [['-qotable'], false],
    [['-vo', 'table'], false],
    [['-qo', 'json'], true],
    [['-qojson'], true],
    [['-vojson'], true],
    [['-qe', 'local', '-o', 'csv'], false],
  ])('%j', async (letters, isJsonWanted) => {
    const argv = ['pets', 'list', ...letters, '--limit', 'x']
    const terminal = { stdout: isJsonWanted }
    const { stderr } = await runCli(argv, { terminal })
    expect(stderr.startsWith('{')).toBe(isJsonWanted)
  })
})

test('readArgv and commander agree on every command line without a mistake', () => {
  const words = fc.constantFrom(
    '-q',
    '-v',
    '-e',
    '-elocal',
    '-qe',
    '--env',
    '--env=local',
    'local',
    '-o',
    'json',
    '-ojson',
  )
  const more = fc.constantFrom(
    '--limit',
    '5',
    '--limit=7',
    '--watch',
    '--watch=2',
    '--status',
    'sold',
    '--no-color',
    '--',
  )
  const line = fc.array(fc.oneof(words, more), { maxLength: 8 })
  fc.assert(
    fc.property(line, (rest) => {
      const argv = ['pets', 'list', ...rest]
      const program = buildProgram('0.0.0')
      const leaf = leavesOf(program).find((command) => commandPath(command) === 'petstore pets list')
      let isRight = false
      leaf?.action(() => {
        isRight = true
      })
      try {
        program.parse(argv, { from: 'user' })
      } catch {
        return
      }
      const values: Record<string, unknown> = {}
      for (const { option, value } of readArgv(program, argv).options) values[option.attributeName()] = value
      const expected = { ...program.opts(), ...leaf?.opts() } as Record<string, unknown>
      expect(isRight).toBe(true)
      for (const name of ['env', 'output', 'status'] as const) expect(values[name]).toBe(expected[name])
      expect('quiet' in values).toBe(expected.quiet === true)
      expect(values.limit === undefined ? undefined : Number(values.limit)).toBe(expected.limit)
    }),
    { numRuns: 300 },
  )
})
