import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { commandLine, shellQuoted } from '../../src/platform/shell.ts'
import { anyText } from '../support/any-text.ts'
import { needs } from '../support/needs.ts'

const anyWord = fc
  .oneof(
    anyText,
    fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?~#&|;<>(){}[]= \t\n\r\u001b-a') })
  )
  .map(word => word.replaceAll('\0', ''))

/** Where a word that is quoted wrongly creates its file. */
const directory = mkdtempSync(join(tmpdir(), 'petstore-shell-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** The arguments that a program receives from the shell. */
function argumentsIn(shell: string, script: string): string[] {
  const print = `${process.execPath} -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- `
  return JSON.parse(
    execFileSync(shell, ['-c', `${print}${script}`], { cwd: directory, encoding: 'utf8' })
  )
}

for (const shell of ['bash', 'zsh', 'dash', 'fish']) {
  needs(shell)(shell, () => {
    const words = fc.array(anyWord, { minLength: 50, maxLength: 300 })

    test('reads quoted words unchanged', () => {
      fc.assert(
        fc.property(words, list => {
          expect(argumentsIn(shell, list.map(shellQuoted).join(' '))).toEqual(list)
        }),
        {
          numRuns: 5,
          examples: [[["pets\\';touch pwned;#", "a\\'b", '%self', '=ls', '\\', "'", '\\\\', 'a\\']]]
        }
      )
    })

    test('reads the same words from a hint, which has no character that acts on a terminal', () => {
      fc.assert(
        fc.property(words, list => {
          const line = commandLine('', { words: ['first', ...list] })
          expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
          const read = argumentsIn(shell, line).filter(
            (word, index) => index !== 0 || word !== '--'
          )
          const isLost = (word: string) => word.endsWith('\n')
          expect(read).toEqual(['first', ...list.map(word => (isLost(word) ? 'NAME' : word))])
        }),
        {
          numRuns: 5,
          examples: [[['\u0001', 'a\nb', '%d\u001b1', "'\\\u202e", 'x\n', '\u0001'.repeat(3)]]]
        }
      )
    })
  })
}

test.each([
  ['pets.ndjson', 'pets.ndjson'],
  ['https://host.example/v1?a=b', "'https://host.example/v1?a=b'"],
  ['', "''"],
  ["it's", "'it'\\''s'"],
  // In fish, a backslash is an escape inside quotes too.
  ["a\\'b", "'a'\\\\\\''b'"],
  ['$(id)x', "'$(id)x'"],
  // Without quotes, zsh replaces it with the path of the command.
  ['=ls', "'=ls'"]
])('%j is quoted as %s', (word, quoted) => {
  expect(shellQuoted(word)).toBe(quoted)
})

describe('a command line', () => {
  test.each([
    ['a path', { paths: ['my pets.csv'] }, "run 'my pets.csv'"],
    ['a path like an option', { paths: ['--yes'] }, 'run ./--yes'],
    ['standard input', { paths: ['-'] }, 'run -'],
    [
      'options',
      { options: { '--format': 'csv', '--journal': undefined, '--restart': true } },
      'run --format csv --restart'
    ],
    ['an option value like an option', { options: { '--journal': '-x' } }, 'run --journal=-x'],
    ['a word like an option', { words: ['-hello', 'you'] }, 'run -- -hello you'],
    ['a word', { words: ['hello you'] }, "run 'hello you'"]
  ] as const)('with %s', (_what, parts, line) => {
    expect(commandLine('run', parts)).toBe(line)
  })
})
