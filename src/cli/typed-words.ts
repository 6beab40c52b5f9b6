import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { petStatuses } from '../model/pets.ts'
import { nearest } from './nearest.ts'

/** What a typed word stands for; undefined if it is not of the kind that a habit is about. */
export type ValueReader = (word: string, command: AnyCommand) => string | undefined

export const any: ValueReader = (word) => (word === '' ? undefined : word)

/** The first group of a pattern, otherwise the whole word. */
export const like =
  (pattern: RegExp): ValueReader =>
  (word) => {
    const found = pattern.exec(word)
    return found === null ? undefined : (found[1] ?? word)
  }

export const oneOfNames =
  (names: readonly string[]): ValueReader =>
  (word) => {
    const typed = word.toLowerCase()
    return names.includes(typed) ? typed : undefined
  }

export const aStatus = oneOfNames(petStatuses)
export const aNumber = like(/^\d+$/)
export const anId = like(/^(?:pets?\/)?(\d+)$/i)
export const aField = like(/^(?:name|categoryId|status)=[^=]+$/s)

/** JSON that is not a single value. */
export const anObject = like(/^\s*[{[]/)
export const isObject = (word: string): boolean => /^\s*[{[]/.test(word)

/** `@pet.json`, as in curl. */
export const aFileAfterAt: ValueReader = like(/^@(.+)$/s)
export const aFileElsewhere = like(/^(?:@|file:\/\/)(.+)$/s)
export const aFileOfRows = like(/^.+\.(?:csv|tsv|ndjson|jsonl)$/is)

export const fieldsOfCommand: ValueReader = (word, command) => {
  const { fields = [] } = notesOf(command)
  const areFields = word.split(',').every((field) => fields.includes(field))
  return areFields ? word : undefined
}

export const oneField: ValueReader = (word, command) =>
  word.includes(',') ? undefined : fieldsOfCommand(word, command)

/** `-name` and `name:desc` */
export const aDescendingField: ValueReader = (word, command) => {
  const [, before, after] = /^-(\w+)$|^(\w+)[:, ]desc$/i.exec(word) ?? []
  return fieldsOfCommand(before ?? after ?? '', command)
}

const secondsIn: Readonly<Record<string, number>> = { ms: 0.001, s: 1, sec: 1, m: 60, min: 60 }

/** `500ms`, `10s`, `2m` */
export const inSeconds: ValueReader = (word) => {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(word) ?? []
  const seconds = Number(amount) * (secondsIn[unit.toLowerCase()] ?? Number.NaN)
  return Number.isNaN(seconds) ? undefined : String(seconds)
}

export const inMilliseconds: ValueReader = (word, command) => {
  const seconds = inSeconds(word, command)
  return seconds && String(Math.round(Number(seconds) * 1000))
}

/** `10%` */
export const asShare: ValueReader = (word) => {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(word)?.[1]
  return percent && String(Number(percent) / 100)
}

/** A message, unless it may be a misspelled command. */
export const aMessage: ValueReader = (word) => {
  const verbs = ['send', 'list', 'get', 'show', 'read', 'view', 'help', 'create', 'post']
  return nearest(word, verbs) === undefined ? word : undefined
}
