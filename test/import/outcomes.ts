import { expect } from 'vitest'
import type { Row } from './model.ts'
import type { Shelter } from './shelter.ts'

/** In the order in which they are counted. */
const kinds = ['added', 'skipped', 'known', 'changed', 'doubtful', 'rejected', 'invalid'] as const
type Kind = (typeof kinds)[number]

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Outcome {
  readonly line: number
  readonly outcome: Kind
  readonly id?: number
}

interface Summary extends Readonly<Record<Kind, number>> {
  readonly valid?: number
  readonly next?: string
  readonly lines?: Readonly<Record<Kind, string>>
}

export type Run = ReturnType<typeof readRun>

/** What an import of these rows printed. */
export function readRun(rows: readonly Row[], { code, stdout, stderr }: Result) {
  const outcomes: Outcome[] = linesIn(stdout)
  const messages = linesIn(stderr)
  const told = messages.flatMap(({ notice, error }) => notice ?? error ?? [])
  const kindOf = new Map(outcomes.map(({ line, outcome }) => [line, outcome]))
  return {
    code,
    outcomes,
    rows,
    /** The row of a line: line 1 is the header. */
    rowAt: (line: number) => rows[line - 2],
    /** The kind of each row in their order. */
    kinds: rows.map((_, index) => kindOf.get(index + 2)),
    /** `2 added, 30 skipped` */
    counts: kinds
      .map(kind => [outcomes.filter(({ outcome }) => outcome === kind).length, kind] as const)
      .filter(([count]) => count > 0)
      .map(words => words.join(' '))
      .join(', '),
    /** Notices and errors. */
    told: told.map(({ message }) => message).join('\n'),
    summary: messages.find(message => 'summary' in message)?.summary as Summary | undefined
  }
}

const linesIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

const problems: readonly string[] = ['known', 'changed', 'doubtful', 'rejected', 'invalid']

/**
 * The ids are those of pets at the service. One that was added has what was sent, and is new; one
 * that is skipped or known is equal; one that is changed differs in one field.
 */
export function expectTrue({ code, outcomes, rowAt, told }: Run, shelter: Shelter, skips: boolean) {
  if (outcomes.length > 0) {
    const isComplete = outcomes.every(({ outcome }) => !problems.includes(outcome))
    expect({ code, told }).toMatchObject({ code: isComplete ? 0 : 8 })
  }
  const pets = shelter.pets()
  for (const { line, outcome, id } of outcomes) {
    if (id === undefined) {
      expect({ line, outcome }).not.toMatchObject({ outcome: 'added' })
      continue
    }
    const row = rowAt(line)
    const pet = pets.get(id)
    const differences = row?.filter((value, index) => value !== pet?.[index]).length
    const decision = `${id} ${row}`
    if (skips && outcome === 'skipped') shelter.decisions.add(decision)
    const isDecided = outcome === 'skipped' && shelter.decisions.has(decision)
    const isTrue = isDecided ? pet !== undefined : differences === (outcome === 'changed' ? 1 : 0)
    expect({ line, outcome, row, id, pet, isTrue }).toMatchObject({ isTrue: true })
    const isNew = !shelter.claimed.has(id)
    if (outcome === 'added') expect({ line, outcome, id, isNew }).toMatchObject({ isNew: true })
    // What a run that was killed has added is reported as skipped.
    shelter.claimed.add(id)
  }
}

/** A check counts what the run then does, where no row is in doubt. */
export function expectForeseen({ summary, code }: Run, run: Run) {
  if (summary === undefined) {
    expect(run.code).toBe(code)
    return
  }
  if (summary.doubtful > 0) return
  const { skipped, known, changed, valid } = summary
  const count = (...some: readonly Kind[]) =>
    run.outcomes.filter(({ outcome }) => some.includes(outcome)).length
  const done = {
    skipped: count('skipped'),
    known: count('known'),
    changed: count('changed'),
    valid: count('added', 'rejected', 'doubtful')
  }
  expect({ skipped, known, changed, valid }).toEqual(done)
  expect(code).toBe(known + changed > 0 ? 8 : 0)
}
