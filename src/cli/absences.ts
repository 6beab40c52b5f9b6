import type { AnyCommand } from '../commands/declare.ts'
import table from './absences.txt'
import { commandName } from './tree.ts'

/** Why a command or an option does not exist; undefined if absences.txt does not say. */
export function reasonAgainst(command: AnyCommand, word: string, next = ''): string | undefined {
  const typed = word.toLowerCase()
  const path = `${commandName(command)} ${typed}`.trim()
  const phrases = [path, `${path} ${next.toLowerCase()}`]
  if (next === '') phrases.push(`only ${path}`)
  if (typed.startsWith('-')) phrases.push(typed)
  return reasonFor(phrases)
}

/** The same for a value: `-o jsonpath={.name}`. */
export function reasonAgainstValue(value: string): string | undefined {
  const [name = ''] = value.toLowerCase().split('=', 1)
  return reasonFor([name])
}

function reasonFor(phrases: readonly string[]): string | undefined {
  const absence = readAbsences().find(({ typed }) => phrases.includes(typed))
  return absence?.reason
}

interface Absence {
  readonly typed: string
  readonly reason: string
}

/** The rows of absences.txt, one for each phrase. */
export function readAbsences(): Absence[] {
  let reason = ''
  return table.split('\n').flatMap(line => {
    const [, group = '', words] = /^ {2}(?:(.*): )?(.*)$/.exec(line) ?? []
    if (words === undefined) {
      reason = line
      return []
    }
    const phrases = words.split(', ').map(word => `${group} ${word}`.trim())
    return phrases.map(typed => ({ typed, reason }))
  })
}
