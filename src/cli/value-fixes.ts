import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, problemWith } from '../commands/declare.ts'
import type { UnknownName } from '../failure.ts'
import type { CommandLine } from './argv.ts'
import { edited, type Repair, withEnd, withoutOption } from './edits.ts'
import { habitsIn, meantBy } from './habits.ts'
import { nearest } from './nearest.ts'

/** A value as the option takes it; undefined if the option refuses it and nothing is close. */
export function readable(command: AnyCommand, option: Option, text: string): string | undefined {
  const meant = meantValue(command, option, text)
  if (meant !== undefined) return meant
  const problem = problemWith(word => option.parseArg?.(word, option.defaultValue))
  return problem(text) === undefined ? text : undefined
}

/** What another program's value of an option means (`--limit all`), or the choice that is close. */
export function meantValue(
  command: AnyCommand,
  declared: Option | Argument,
  text: string
): string | undefined {
  const name = 'long' in declared ? (declared.long ?? '') : declared.name()
  for (const habit of habitsIn('values', name)) {
    const [meant] = meantBy(habit, command, text)?.words ?? []
    if (meant !== undefined) return meant
  }
  const isStrict = changesSomething(command) || isNegated(text)
  return choiceFor(declared.argChoices ?? [], text, isStrict)
}

/** The choice that was meant. If the check is strict, only the case of the letters may differ. */
function choiceFor(
  choices: readonly string[],
  text: string,
  isStrict: boolean
): string | undefined {
  const typed = text.trim().toLowerCase()
  const same = choices.find(choice => choice.toLowerCase() === typed)
  if (same !== undefined || isStrict) return same
  return nearest(typed, choices)
}

/** `!sold` and `unavailable` are close to the opposite of what is meant. */
function isNegated(text: string): boolean {
  return /^\s*(?:[!^~-]|un|no[nt])/i.test(text)
}

/** What a hint sends or saves must have been typed. */
function changesSomething(command: AnyCommand): boolean {
  return command.notes.changes !== undefined
}

/** The name of an environment, a setting or a field that does not exist. */
export function repairName(line: CommandLine, unknown: UnknownName): Repair | undefined {
  const { name, known, option, isValue } = unknown
  const { argv, command, options, operands } = line
  const typed = options.find(({ value }) => value?.text.split(',').includes(name))
  const isForAll = name === 'all' && typed?.option.long === '--env'
  if (isForAll && command.notes.coversAll) return edited(argv, withoutOption(typed))
  const isStrict = isValue === true && changesSomething(command)
  const meant = choiceFor(known, name, isStrict)
  if (meant === undefined) return undefined
  if (typed?.value !== undefined) {
    const names = typed.value.text.split(',')
    const corrected = names.map(one => (one === name ? meant : one))
    return withEnd(argv, typed.value, corrected.join(','))
  }
  const operand = operands.find(({ text }) => text === name)
  if (operand !== undefined) return edited(argv, { [operand.index]: [meant] })
  return option === undefined ? undefined : { argv: [option, meant, ...argv] }
}
