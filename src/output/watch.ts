import { isDeepStrictEqual } from 'node:util'
import { Failure, type FailureCode } from '../failure.ts'
import type { Pet } from '../model/schema.ts'
import type { Host } from '../system/host.ts'
import { pause } from '../system/promises.ts'
import { visibleLine } from '../text/visible.ts'
import type { Output } from './output.ts'
import { cellText, petColumns, pickFields } from './view.ts'

/** A list, and the notice that it may lack pets. */
export interface PetList {
  readonly pets: readonly Pet[]
  readonly notice: string | undefined
}

/** Shows what a watch finds. */
type Viewer = ReturnType<typeof eventViewer>

/** A day, in seconds: Node's timers overflow after 25 days, and then fire at once. */
const longestWait = 86_400

/** Lists again and again, until the signal aborts or a failure would only repeat. */
export async function watch(
  list: () => Promise<PetList>,
  seconds: number,
  signal: AbortSignal,
  viewer: Viewer
): Promise<never> {
  let before: readonly Pet[] | undefined
  let hasFailed = false
  for (;;) {
    let askedSeconds = 0
    try {
      const found = await list()
      const { pets } = found
      if (hasFailed) await viewer.recovery()
      hasFailed = false
      if (before === undefined) await viewer.first(found)
      const changes = changesBetween(before ?? pets, pets)
      for (const change of changes) await viewer.change(change)
      before = pets
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const failure = passingFailure(error)
      await viewer.failure(failure)
      hasFailed = true
      askedSeconds = Math.min(failure.waitSeconds ?? 0, longestWait)
    }
    await pause(Math.max(seconds, askedSeconds) * 1000, signal)
  }
}

/** What the same list would end with again: a key, this machine and `--complete` stay. */
const lasting: readonly FailureCode[] = ['auth', 'local', 'inconclusive']

function passingFailure(error: unknown) {
  if (!(error instanceof Failure) || lasting.includes(error.code)) throw error
  return error
}

/** In the order of the new list, followed by the pets that are gone. */
function changesBetween(before: readonly Pet[], after: readonly Pet[]) {
  const known = new Map(before.map(pet => [pet.id, pet]))
  const kept = new Set(after.map(({ id }) => id))
  const changed = after.filter(pet => !isDeepStrictEqual(known.get(pet.id), pet))
  const gone = before.filter(({ id }) => !kept.has(id))
  return [
    ...changed.map(pet => ({ kind: known.has(pet.id) ? 'changed' : 'added', pet })),
    ...gone.map(pet => ({ kind: 'gone', pet }))
  ]
}

interface Places {
  readonly host: Host
  readonly output: Output
  /** Says on stderr that a list failed, or makes a value of that for an event. */
  readonly report: {
    notice(code: string, message: string, look: { evenIfQuiet: boolean }): Promise<void>
    describe(failure: Failure): object
  }
}

/** In a terminal: the table once, and then a line for each change: `14:03:10 gone 7  Rex  …`. */
export function tableViewer(
  { host, output, report }: Places,
  ifEmpty: (notice: string | undefined) => string
): Viewer {
  const { fields = petColumns.names } = output.settings
  return {
    first: ({ pets, notice }) => output.list(pets, petColumns, ifEmpty(notice)),
    change: ({ kind, pet }) => {
      const [time] = host.now().toTimeString().split(' ')
      const cells = fields.map(name => visibleLine(cellText(pet, name)))
      const line = `${time} ${kind} ${cells.join('  ')}`
      return output.text(line.trimEnd())
    },
    failure: ({ message }) =>
      report.notice('watch', `${message}; trying again`, { evenIfQuiet: true }),
    recovery: () => report.notice('watch', 'the service replies again', { evenIfQuiet: true })
  }
}

/** Each change is a line of JSON. */
export function eventViewer({ host, output, report }: Places) {
  const { fields } = output.settings
  const shown = (pet: Pet) => pickFields(pet, fields)
  const print = (event: string, details: object) => {
    const time = host.now().toISOString()
    return output.json({ event, time, ...details }, { format: 'ndjson' })
  }
  return {
    first: async ({ pets }: PetList) => {
      for (const pet of pets) await print('added', { initial: true, pet: shown(pet) })
    },
    change: ({ kind, pet }: { kind: string; pet: Pet }) => print(kind, { pet: shown(pet) }),
    failure: (failure: Failure) => {
      const error = report.describe(failure)
      return print('error', { error })
    },
    recovery: () => print('recovered', {})
  }
}
