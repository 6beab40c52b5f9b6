import type { AnyCommand } from '../commands/declare.ts'
import { petStatuses } from '../model/pets.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { preferenceNames } from '../settings/table.ts'
import { nearest } from './nearest.ts'

/** What a typed word stands for; undefined if it is not of the kind that a habit is about. */
export type ValueReader = (word: string, command: AnyCommand) => string | undefined

/** By the kind of a value in habits.txt. Any other kind is a pattern. */
const readers: Readonly<Record<string, ValueReader>> = {
  value: like('.+'),
  number: like('\\d+'),
  id: like('(?:pets?/)?(\\d+)'),
  setting: like(`(?:${preferenceNames.join('|')})(?:=.*)?`),
  status: oneOfNames(petStatuses),
  environment: oneOfNames(environmentNames({})),
  fields: fieldsOfCommand,
  name: word => (mayBeName(word) ? word : undefined),
  field: (word, command) => (word.includes(',') ? undefined : fieldsOfCommand(word, command)),
  /** `-name` and `name:desc` */
  descending: (word, command) => {
    const [, before, after] = /^-(\w+)$|^(\w+)[:, ]desc$/i.exec(word) ?? []
    return fieldsOfCommand(before ?? after ?? '', command)
  },
  /** Unless it may be a misspelled command. */
  message: word => {
    const verbs = ['send', 'list', 'get', 'show', 'read', 'view', 'help', 'create', 'post']
    return nearest(word, verbs) === undefined ? word : undefined
  },
  'duration in seconds': word => durationIn(word, 1),
  'duration in milliseconds': word => durationIn(word, 1000),
  percentage: word => {
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(word)?.[1]
    return percent && String(Number(percent) / 100)
  }
}

export function readerOfKind(kind: string): ValueReader {
  return readers[kind] ?? like(kind)
}

/** The first group of a pattern, otherwise the whole word. */
function like(pattern: string): ValueReader {
  const whole = new RegExp(`^(?:${pattern})$`, 'is')
  return word => {
    const found = whole.exec(word)
    return found === null ? undefined : (found[1] ?? word)
  }
}

function oneOfNames(names: readonly string[]): ValueReader {
  return word => {
    const typed = word.toLowerCase()
    return names.includes(typed) ? typed : undefined
  }
}

function fieldsOfCommand(word: string, command: AnyCommand): string | undefined {
  const { fields = [] } = command.notes
  const areFields = word.split(',').every(field => fields.includes(field))
  return areFields ? word : undefined
}

/** `500ms`, `10s`, `2m`, in units of which a second has so many. */
function durationIn(word: string, unitsInSecond: number): string | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(word) ?? []
  const seconds = { ms: 0.001, s: 1, sec: 1, m: 60, min: 60 }[unit.toLowerCase()]
  const units = Number(amount) * (seconds ?? Number.NaN) * unitsInSecond
  return Number.isNaN(units) ? undefined : String(Number(units.toFixed(3)))
}

/** JSON that is not a single value. */
export function isObject(word: string): boolean {
  return /^\s*[{[]/.test(word)
}

/** Not a path, a query or an expression: no pet is called so. */
export function mayBeName(text: string): boolean {
  const hasOtherCharacters = /[^\p{L}\p{M}\p{N}\s.'’-]/u.test(text)
  const hasDotInside = /\.\S/.test(text)
  return /\p{L}/u.test(text) && !hasOtherCharacters && !hasDotInside
}
