import fc from 'fast-check'
import { expect } from 'vitest'
import { type Machine, openMachine } from './machine.ts'
import { Place, type Row } from './model.ts'
import { openShelter, type Shelter } from './shelter.ts'

interface File {
  name: string
  rows: readonly Row[]
}

/** What is done to a file before it is imported. */
interface Edit {
  readonly at: number
  readonly field: number
  readonly pets: readonly Row[]
  readonly other: File
}
const edits: Readonly<Record<string, (file: File, edit: Edit) => readonly Row[]>> = {
  correct: ({ rows }, { at, field, pets }) =>
    rows.map((row, index) => (index === at ? withField(row, field, pets[0]) : row)),
  insert: ({ rows }, { at, pets }) => rows.toSpliced(at, 0, ...pets.slice(0, 3)),
  append: ({ rows }, { pets }) => [...rows, ...pets.slice(0, 3)],
  remove: ({ rows }, { at }) => (rows.length > 1 ? rows.toSpliced(at, 1) : rows),
  sort: ({ rows }) => rows.toSorted((one, other) => (one.join() < other.join() ? -1 : 1)),
  refill: (_, { pets }) => pets,
  merge: ({ rows }, { other }) => [...rows, ...other.rows].slice(0, 40),
  'save as': (_, { other }) => other.rows,
  rename(file) {
    file.name = `new ${file.name}`
    return file.rows
  },
  'insert one that the service rejects': ({ rows }, { at }) =>
    rows.toSpliced(at, 0, [`bad ${at}`, '1', 'sold'])
}

const withField = (row: Row, field: number, other: Row = row) =>
  row.map((value, index) => (index === field ? other[index] : value)) as unknown as Row

/** Numbers of rows and files count from the start, again and again. */
const place = fc.nat({ max: 40 })
const pet = fc.tuple(
  fc.nat({ max: 19 }).map(number => `n${number}`),
  fc.nat({ max: 3 }).map(String),
  fc.constantFrom('available', 'sold')
)
const pets = fc.array(pet, { minLength: 1, maxLength: 12 })
const verb = fc.constantFrom('--add', '--skip')

const importing = fc.record({
  file: place,
  edits: fc.array(
    fc.record({
      edit: fc.constantFrom(...Object.keys(edits)),
      at: place,
      field: fc.nat({ max: 2 }),
      pets,
      other: place
    }),
    { maxLength: 3 }
  ),
  isPiped: fc.boolean(),
  /** Without keys: a key that is derived would be known to the service. */
  batch: fc.option(fc.constantFrom('june', 'july'), { freq: 1 }),
  /** For each import. */
  decision: fc.option(fc.tuple(verb, fc.constantFrom('known', 'changed')), { freq: 1 }),
  killedAfter: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 1 }),
  /** Rejected rows are corrected in the file of rejects and in the file, in one of both orders. */
  corrections: fc.option(fc.tuple(fc.boolean(), pets), { freq: 1 }),
  /** For one of the rows that are held then. */
  later: fc.option(fc.tuple(verb, fc.nat({ max: 3 })), { freq: 1 })
})

const months = fc.record({
  hasKeys: fc.boolean(),
  files: fc.tuple(pets, pets, pets),
  imports: fc.array(importing, { minLength: 1, maxLength: 15 })
})
type Months = typeof months extends fc.Arbitrary<infer Value> ? Value : never

/** A pipe has no path. */
interface Where {
  readonly path: string | undefined
  readonly batch?: string | undefined
  readonly rejects?: string | undefined
}
type Choice = readonly [option?: string, what?: string | number]

/** The program decides what the model decides, and all that it reports is true. */
export async function checkMonths(numRuns: number, seed?: number) {
  // To make a month shorter takes many minutes.
  const how = { numRuns, endOnFailure: true }
  const property = fc.asyncProperty(months, live)
  await fc.assert(property, seed === undefined ? how : { ...how, seed })
}

async function live({ hasKeys, files: first, imports }: Months) {
  const shelter = await openShelter({ hasKeys })
  const machine = await openMachine(shelter)
  machine.isChecked = true
  const model = new Place()
  const files = first.map((rows, index): File => ({ name: `${index}.csv`, rows }))
  let count = 0
  /** What the model decides. */
  const decide = (...input: Parameters<Place['run']>) => {
    const decisions = model.run(...input)
    count += decisions.filter(decision => decision === 'added').length
    return decisions
  }

  const importRows = async (rows: readonly Row[], where: Where, choice: Choice = []) => {
    const { path, batch, rejects } = where
    const [option, what] = choice
    const words = [
      ...(batch === undefined ? [] : ['--batch', batch]),
      ...(rejects === undefined ? [] : ['--rejects', machine.at(rejects)]),
      ...(option === undefined ? [] : [option, String(typeof what === 'number' ? what + 2 : what)])
    ]
    const run = await (path === undefined
      ? machine.pipes(rows, ...words)
      : machine.imports(path, rows, ...words))
    const chosen = what === undefined ? [] : [what]
    const input = { path, batch, rejects, [option === '--add' ? 'add' : 'skip']: chosen }
    const decisions = decide(rows, input)
    const table = (kinds: readonly unknown[]) => rows.map((row, index) => `${row} ${kinds[index]}`)
    expect(table(run.kinds)).toEqual(table(decisions))
    expect(shelter.count()).toBe(count)
    return decisions
  }

  for (const { file: number, edits: some, isPiped, ...rest } of imports) {
    const file = files[number % files.length] as File
    for (const { edit, at, other, ...how } of some) {
      const wanted = { ...how, at: at % file.rows.length, other: files[other % 3] as File }
      file.rows = edits[edit]?.(file, wanted) ?? []
    }
    const { decision, killedAfter, corrections, later } = rest
    const { rows, name } = file
    const batch = hasKeys ? undefined : (rest.batch ?? undefined)
    const path = isPiped ? undefined : name
    if (killedAfter !== null && !isPiped) {
      await survive(killedAfter, file, shelter, machine)
      decide(rows, { path })
    }
    const rejects = corrections === null ? undefined : `rejects of ${number % files.length}.csv`
    const decisions = await importRows(rows, { path, batch, rejects }, decision ?? [])
    const held = [...decisions.keys()].filter(index => /known|changed/.test(decisions[index] ?? ''))
    const [option, chosen] = later ?? []
    const one = held[chosen ?? 0]
    if (option !== undefined && one !== undefined)
      await importRows(rows, { path, batch }, [option, one])

    const wrong = [...rows.keys()].filter(index => decisions[index] === 'rejected')
    if (corrections === null || wrong.length === 0) continue
    const [isFileFirst, others] = corrections
    const corrected = wrong.map((_, index) => others[index % others.length] as Row)
    file.rows = rows.map((row, index) => corrected[wrong.indexOf(index)] ?? row)
    const both = [
      () => importRows(corrected, { path: rejects }),
      () => importRows(file.rows, { path, batch })
    ]
    for (const importCorrected of isFileFirst ? both.reverse() : both) await importCorrected()
  }
  // The pets at the service are those that were reported.
  expect([...shelter.pets().keys()].filter(id => !shelter.claimed.has(id))).toEqual([])
  await shelter.close()
}

/** An import is killed and typed again. The rows in doubt are decided with a look at the service. */
async function survive(after: number, { name, rows }: File, shelter: Shelter, machine: Machine) {
  const before = new Set(shelter.pets().keys())
  await machine.isKilled(after, name, rows)
  const run = await machine.imports(name, rows)
  const doubtful = run.outcomes.filter(({ outcome }) => outcome === 'doubtful')
  if (shelter.hasKeys) expect(doubtful).toEqual([])
  const told = new Set(run.outcomes.map(({ id }) => id))
  const lost = [...shelter.pets()].filter(([id]) => !before.has(id) && !told.has(id))
  const skip: number[] = []
  const add: number[] = []
  for (const { line } of doubtful) {
    const found = lost.findIndex(([, row]) => row.join() === rows[line - 2]?.join())
    if (found < 0) add.push(line)
    else {
      skip.push(line)
      for (const [id] of lost.splice(found, 1)) shelter.claimed.add(id)
    }
  }
  const options = [
    ...(skip.length > 0 ? ['--skip', skip.join()] : []),
    ...(add.length > 0 ? ['--add', add.join()] : [])
  ]
  if (options.length > 0) await machine.imports(name, rows, ...options)
}
