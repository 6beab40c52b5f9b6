import type { Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { endings } from '../failure.ts'
import { type SettingName, type Subject, settingNames, settingTable } from '../settings/table.ts'
import { leavesOf, lineageOf } from './tree.ts'

/** What a command acts on: what its declaration says, and what follows from that. */
function subjectsOf({ notes }: DeclaredCommand): Subject[] {
  const { actsOn = [], changes, fields } = notes
  const subjects = [...actsOn]
  if (actsOn.includes('requests')) subjects.push('environment', 'key')
  // An import sends many requests, and checks its rows instead of showing them.
  if (actsOn.includes('requests') && !actsOn.includes('rows')) subjects.push('request')
  if (actsOn.includes('data')) subjects.push('json')
  if (fields !== undefined) subjects.push('fields')
  if (changes === 'service') subjects.push('changes')
  return subjects
}

/** The setting that a shared option sets. */
export function settingOf({ long = '' }: Option): SettingName | undefined {
  return settingNames.find(name => long === `--${name}` || long === `--no-${name}`)
}

/** The options of the program that have an effect on this command, or on one below it. */
export function sharedOptions(command: DeclaredCommand): Option[] {
  const [program] = lineageOf(command)
  const subjects = leavesOf(command).flatMap(subjectsOf)
  return program.options.filter(shared => {
    const name = settingOf(shared)
    if (name === undefined) return false
    const subject = settingTable[name].option?.subject
    return subject === undefined || subjects.includes(subject)
  })
}

/** Its own options, and those of the program that have an effect on it. */
export function optionsOf(command: DeclaredCommand): Option[] {
  const options = [...command.options, ...sharedOptions(command)]
  return [...new Set(options)]
}

type Ending = (typeof endings)[number]

/** The subject that makes an ending possible. Every command can end in the other ways. */
const subjectOfEnding: Partial<Record<Ending[1], Subject>> = {
  rejected: 'requests',
  auth: 'key',
  'not-found': 'requests',
  unreachable: 'requests',
  service: 'requests',
  partial: 'rows',
  'in-doubt': 'changes'
}

/** The ways in which a command can end. */
export function endingsOf(command: DeclaredCommand): Ending[] {
  const subjects = subjectsOf(command)
  return endings.filter(([, name]) => {
    if (name === 'interrupted' && command.notes.isEndedBySignal) return false
    const subject = subjectOfEnding[name]
    return subject === undefined || subjects.includes(subject)
  })
}
