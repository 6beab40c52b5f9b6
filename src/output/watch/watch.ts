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
import { petColumns, pickFields } from '../view.ts'

/** A list, and the notice that it may leave pets out. */
export interface PetList {
  readonly pets: readonly Pet[]
  readonly notice?: string | undefined
}

/** The difference between two lists for one pet. */
interface PetChange {
  readonly kind: 'added' | 'changed' | 'gone'
  readonly pet: Pet
}

/** The list at one moment with its differences from the one before, or why there is none. */
type Look =
  | { readonly pets: readonly Pet[]; readonly changes: PetChange[]; readonly isFirst: boolean }
  | { readonly failure: Failure }

type Looks = AsyncIterable<Look>

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
    let askedSeconds = 0
    try {
      const { pets } = await list()
      yield {
        pets,
        changes: changesBetween(before ?? [], pets),
        isFirst: before === undefined
      }
      before = pets
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof Failure) || finalFailures.includes(error.code)) throw error
      yield { failure: error }
      askedSeconds = Math.min(error.waitSeconds ?? 0, longestWaitSeconds)
    }
    await pause(Math.max(seconds, askedSeconds) * 1000, signal)
  }
}

/** In the order of the new list, followed by the pets that are gone. */
function changesBetween(before: readonly Pet[], after: readonly Pet[]): PetChange[] {
  const known = new Map(before.map(pet => [pet.id, pet]))
  const changes: PetChange[] = []
  for (const pet of after) {
    const was = known.get(pet.id)
    known.delete(pet.id)
    if (was === undefined) changes.push({ kind: 'added', pet })
    else if (!isDeepStrictEqual(was, pet)) changes.push({ kind: 'changed', pet })
  }
  for (const pet of known.values()) changes.push({ kind: 'gone', pet })
  return changes
}

interface Places {
  readonly host: Host
  readonly output: Output
  readonly report: Reporter
}

/** In a terminal: the table once, and then a line for each change: `14:03:10 gone 7  Rex  …`. */
export async function printChanges(looks: Looks, { host, output, report }: Places): Promise<void> {
  const { columns, style } = await viewOf(host, await output.settings(), petColumns.names)
  const paints = {
    added: style.good,
    changed: style.waiting,
    gone: style.past
  }
  for await (const look of looks) {
    if ('failure' in look) {
      await report.notice('watch', `${look.failure.message}; trying again`, { evenIfQuiet: true })
    } else if (look.isFirst) {
      await output.list(look.pets, petColumns, 'no pets found')
    } else {
      const time = style.past(host.now().toTimeString().slice(0, 8))
      for (const { kind, pet } of look.changes) {
        const cells = columns.map(name => visibleLine(cellText(pet, name)))
        const line = `${time} ${paints[kind](kind)} ${cells.join('  ')}`
        await print(host, 'stdout', `${line.trimEnd()}\n`)
      }
    }
  }
}

/** Prints each change as a line of JSON. */
export async function printEvents(looks: Looks, { host, output, report }: Places): Promise<void> {
  const { fields } = await output.settings()
  const printEvent = (event: string, details: object) =>
    output.json({ event, time: host.now().toISOString(), ...details }, { format: 'ndjson' })
  for await (const look of looks) {
    if ('failure' in look) {
      await printEvent('error', { error: await report.describe(look.failure) })
      continue
    }
    const initial = look.isFirst || undefined
    for (const { kind, pet } of look.changes)
      await printEvent(kind, { initial, pet: pickFields(pet, fields) })
  }
}
