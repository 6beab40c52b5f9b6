import { type AnyCommand, DeclaredCommand, type Subject } from '../commands/declare.ts'
import { endings } from '../failure.ts'
import { actsOn } from './global-options.ts'

/** What a command must act on to end like this; the endings that are not named here can be had from all of them. */
const subjects: Partial<Record<(typeof endings)[number]['name'], readonly Subject[]>> = {
  rejected: ['requests'],
  auth: ['requests', 'key'],
  'not-found': ['requests'],
  unreachable: ['requests'],
  service: ['requests'],
  partial: ['rows'],
  'in-doubt': ['changes'],
}

/** The ways in which this command can end. */
export function endingsOf(command: AnyCommand) {
  const isEndedBySignal = command instanceof DeclaredCommand && command.notes.isEndedBySignal === true
  return endings
    .filter(({ name }) => subjects[name]?.some((subject) => actsOn(command).includes(subject)) ?? true)
    .filter(({ name }) => name !== 'interrupted' || !isEndedBySignal)
}
