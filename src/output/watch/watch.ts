import { isDeepStrictEqual } from 'node:util'
import { Failure, type FailureCode } from '../../failure.ts'
import type { Pet } from '../../model/schema.ts'
import { visibleLine } from '../../model/visible.ts'
import type { Host } from '../../platform/host.ts'
import { pause } from '../../platform/promises.ts'
import { viewOf } from '../formats.ts'
import type { Output } from '../output.ts'
import type { Reporter } from '../reporter.ts'
import { print } from '../stream.ts'
import { cellText } from '../text-formats.ts'
import { petColumns, pickFields, type Row } from '../view.ts'

/** A list, and the notice that it may leave pets out. */
export interface PetList {
  readonly pets: readonly Pet[]
  readonly notice?: string | undefined
}

/** The difference between two lists for one pet. */
interface PetChange {
  readonly kind: 'added' | 'changed' | 'gone'
  readonly pet: Pet
  /** The pet before it changed. */
  readonly was?: Pet | undefined
}

/** The list at one moment, with its differences from the one before. */
interface Snapshot {
  readonly pets: readonly Pet[]
  readonly changes: readonly PetChange[]
  readonly isFirst: boolean
}

/** Of a list that failed, and is tried again. */
interface FailedLook {
  readonly failure: Failure
  readonly secondsToNext: number
}

type Looks = AsyncIterable<Snapshot | FailedLook>

/** Failures that do not go away with time: a wrong command line, a key, this machine. */
const finalFailures: readonly FailureCode[] = ['usage', 'auth', 'local', 'interrupted']

/** Node's timers overflow after 25 days. */
const longestWaitSeconds = 86_400

/** Lists again and again, until the signal aborts or a failure would only repeat. */
export async function* watch(
  list: () => Promise<PetList>,
  seconds: number,
  signal: AbortSignal
): Looks {
  let before: readonly Pet[] | undefined
  for (;;) {
    let secondsToNext = seconds
    try {
      const { pets } = await list()
      yield { pets, changes: changesBetween(before ?? [], pets), isFirst: before === undefined }
      before = pets
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof Failure) || finalFailures.includes(error.code)) throw error
      // The service may ask for more time.
      secondsToNext = Math.max(seconds, Math.min(error.waitSeconds ?? 0, longestWaitSeconds))
      yield { failure: error, secondsToNext }
    }
    await pause(secondsToNext * 1000, signal)
  }
}

/** In the order of the new list, followed by the pets that are gone. */
function changesBetween(before: readonly Pet[], after: readonly Pet[]): PetChange[] {
  const known = new Map(before.map(pet => [pet.id, pet]))
  const present = new Set(after.map(({ id }) => id))
  const current = after.flatMap((pet): PetChange[] => {
    const was = known.get(pet.id)
    if (was === undefined) return [{ kind: 'added', pet }]
    return isDeepStrictEqual(was, pet) ? [] : [{ kind: 'changed', pet, was }]
  })
  const gone = before
    .filter(({ id }) => !present.has(id))
    .map((pet): PetChange => ({ kind: 'gone', pet }))
  return [...current, ...gone]
}

interface Places {
  readonly host: Host
  readonly output: Output
  readonly report: Reporter
}

/** In a terminal: the table once, and then a line for each change, such as `14:03:10 added …`. */
export async function printChanges(looks: Looks, { host, output, report }: Places): Promise<void> {
  const { columns, style } = await viewOf(host, await output.settings(), petColumns.names)
  const paints = { added: style.good, changed: style.waiting, gone: style.past }
  const printLine = (text: string) => {
    const time = host.now().toTimeString().slice(0, 8)
    return print(host, 'stdout', `${style.past(time)} ${text}\n`)
  }
  for await (const look of looks) {
    if ('failure' in look) {
      const { message } = await report.describe(look.failure)
      const next = `trying again in ${look.secondsToNext} s`
      await printLine(`${style.error('error:')} ${visibleLine(message)}; ${next}`)
    } else if (look.isFirst) {
      await output.list(look.pets, petColumns, 'no pets')
    } else {
      for (const { kind, pet, was } of look.changes) {
        const cells = columns.map(name => changedCell(name, pet, was))
        await printLine(`${paints[kind](kind)} ${cells.join('  ').trimEnd()}`)
      }
    }
  }
}

/** `available → sold` */
function changedCell(name: string, pet: Row, was: Row = pet): string {
  const [before = '', after = ''] = [was, pet].map(row => visibleLine(cellText(row, name)))
  return before === after ? after : `${before} → ${after}`
}

/** Prints each change as a line of JSON. */
export async function printEvents(looks: Looks, { host, output, report }: Places): Promise<void> {
  const { fields } = await output.settings()
  const printEvent = (event: string, details: object) =>
    output.json({ event, time: host.now().toISOString(), ...details }, { format: 'ndjson' })
  for await (const look of looks) {
    if ('failure' in look) {
      const error = await report.describe(look.failure)
      await printEvent('error', { error, nextLookInSeconds: look.secondsToNext })
      continue
    }
    for (const { kind, pet, was } of look.changes) {
      await printEvent(kind, {
        initial: (look.isFirst && kind === 'added') || undefined,
        pet: pickFields(pet, fields),
        was: was && pickFields(was, fields)
      })
    }
  }
}
