import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { commandLine, hintWord, shellQuoted } from '../../src/text/shell.ts'
import { powerShell } from '../../src/text/shells.ts'
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
          const line = ['first', ...list].map(hintWord).join(' ')
          expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
          const isLost = (word: string) => word.endsWith('\n')
          expect(argumentsIn(shell, line)).toEqual([
            'first',
            ...list.map(word => (isLost(word) ? 'NAME' : word))
          ])
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
  [{ paths: ['my pets.csv', '--yes', '-'] }, "run 'my pets.csv' ./--yes -"],
  [{ options: { '--a': 'csv', '--c': true } }, 'run --a csv --c'],
  [{ options: { '--a': '-x' } }, 'run --a=-x']
] as const)('a command line with %j', (parts, line) => {
  expect(commandLine('run', parts)).toBe(line)
})

const { quoted, setVariable, value } = powerShell

test.each([
  [quoted('--env=demo'), '--env=demo'],
  [quoted("it's ‘$x’"), "'it''s ‘‘$x’’'"],
  [quoted('C:\\Users\\Zoë\\a b'), "'C:\\Users\\Zoë\\a b'"],
  [quoted('@-'), "'@-'"],
  [quoted('a,b'), "'a,b'"],
  [powerShell.hintWord('a "b"'), 'NAME'],
  [powerShell.hintWord('a\u001b'), 'NAME'],
  [setVariable('X', value('1')), "$env:X = '1'"]
])('PowerShell gets %s', (written, expected) => {
  expect(written).toBe(expected)
})
