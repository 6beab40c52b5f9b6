import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  behaviors,
  createSandbox,
  type Database,
  databases,
  inputNames,
  leavesDoubt,
  type RunPlan,
  type RunReport,
  type Sandbox
} from './sandbox.ts'

/** The rows of one database whose state is known from the reports so far. */
interface Known {
  /** Rows that were reported as added. */
  readonly added: Set<number>
  /** Rows that may have been added: they must not be sent again unless the user says so. */
  readonly doubtful: Set<number>
  /**
   * Whether a run under the first name of the input came to its end: then a change of this file is
   * noticed.
   */
  isPathKnown: boolean
}
type Model = Readonly<Record<Database, Known>>

const nothingKnown = (): Known => ({ added: new Set(), doubtful: new Set(), isPathKnown: false })

const runPlan: fc.Arbitrary<RunPlan> = fc.record({
  inputName: fc.constantFrom(...inputNames),
  database: fc.constantFrom(...databases),
  behaviors: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('add' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...behaviors) }
    ),
    { minLength: 1, maxLength: 12 }
  ),
  concurrency: fc.integer({ min: 1, max: 6 }),
  retries: fc.integer({ min: 0, max: 4 })
})

/** From 0 to 1. */
const share = fc.noBias(fc.integer({ min: 0, max: 999 })).map(thousandths => thousandths / 1000)

const inTrouble = fc
  .record({
    plan: runPlan,
    trouble: fc.constantFrom('kill', 'power cut', 'Ctrl-C'),
    at: fc.noBias(fc.integer({ min: 1, max: 60 })),
    share
  })
  .map(({ plan, trouble, at, share }): RunPlan => {
    if (trouble === 'Ctrl-C') return { ...plan, interruptAtRequest: Math.ceil(at / 4) }
    return { ...plan, killAtStep: at, ...(trouble === 'power cut' && { powerCut: share }) }
  })

type Command = fc.AsyncCommand<Model, Sandbox>

function commandOf(
  name: string,
  plan: RunPlan,
  run: (model: Model, sandbox: Sandbox) => Promise<void>
): Command {
  return { check: () => true, run, toString: () => `${name} ${JSON.stringify(plan)}` }
}

const commands = [
  runPlan.map(plan =>
    commandOf('run', plan, async (model, sandbox) =>
      expectConsistent(model, sandbox, await sandbox.run(plan), plan)
    )
  ),
  inTrouble.map(plan =>
    commandOf('run in trouble', plan, async (model, sandbox) =>
      expectConsistent(model, sandbox, await sandbox.run(plan), plan)
    )
  ),
  fc
    .oneof(runPlan, inTrouble)
    .map(plan =>
      commandOf('settle', plan, async (model, sandbox) => void (await settle(model, sandbox, plan)))
    ),
  runPlan.map(plan =>
    commandOf('accept a row that is not doubtful', plan, async (model, sandbox) => {
      const [row] = model[plan.database].added
      if (row === undefined) return
      for (const lines of [{ acceptDoubtful: [row] }, { resendDoubtful: [row] }]) {
        const { failure, sent } = await sandbox.run({ ...plan, ...lines })
        expect(failure).toMatchObject({ code: 'usage', message: `line ${row} is not doubtful` })
        expect(sent).toEqual([])
      }
    })
  ),
  runPlan.map(plan =>
    commandOf('replace the input by the same content', plan, async (_, sandbox) =>
      sandbox.replaceInput()
    )
  ),
  runPlan.map(plan =>
    commandOf('change the input', plan, async (model, sandbox) => {
      const { added, doubtful, isPathKnown } = model[plan.database]
      if (!isPathKnown || added.size + doubtful.size === 0 || added.size === sandbox.rowCount)
        return
      const { failure, sent } = await sandbox.runWithOtherContent({ ...plan, inputName: 'path' })
      expect({ code: failure?.code, sent }).toEqual({ code: 'usage', sent: [] })
    })
  ),
  fc.tuple(runPlan, fc.integer({ min: 1, max: 20 })).map(([plan, request]) =>
    commandOf(`delete the journal at request ${request}`, plan, async (model, sandbox) => {
      const report = await sandbox.run({ ...plan, deleteJournalAtRequest: request })
      expectConsistent(model, sandbox, report, plan)
      if (report.sent.length < request) return
      expect(report.failure?.code).toBe('local')
      sandbox.reset(plan.database)
      Object.assign(model, { [plan.database]: nothingKnown() })
    })
  ),
  fc
    .record({
      plan: runPlan,
      kind: fc.constantFrom('flip', 'zeros'),
      share,
      mask: fc.integer({ min: 1, max: 255 })
    })
    .map(({ plan, kind, share, mask }) =>
      commandOf(
        `damage the journal (${kind} at ${share}, mask ${mask})`,
        plan,
        async (model, sandbox) => {
          // Only the last journal is known to belong to a database.
          const journal = sandbox.journal()
          if (journal === undefined) return
          const damagedPlan = { ...plan, database: sandbox.lastDatabase() }
          const intact = readFileSync(journal)
          const damaged = Buffer.from(intact)
          const at = Math.min(intact.length - 1, Math.floor(share * intact.length))
          if (kind === 'flip') damaged[at] = (damaged[at] ?? 0) ^ mask
          else damaged.fill(0, at)
          writeFileSync(journal, damaged)
          const report = await sandbox.run(damagedPlan)
          const { failure, results } = report
          if (
            failure !== undefined &&
            ['local', 'usage'].includes(failure.code) &&
            results.length === 0
          ) {
            expect(report.sent).toEqual([])
            expect(readFileSync(journal)).toEqual(damaged)
            writeFileSync(journal, intact)
          } else {
            expectConsistent(model, sandbox, report, damagedPlan)
          }
        }
      )
    )
]

/**
 * As a user does it: the doubtful rows that are in the database are accepted, and the others are
 * sent again.
 */
async function settle(model: Model, sandbox: Sandbox, plan: RunPlan): Promise<RunReport> {
  const { database } = plan
  const looking: RunPlan = {
    ...plan,
    behaviors: ['add'],
    killAtStep: undefined,
    interruptAtRequest: undefined
  }
  const look = await sandbox.run(looking)
  expectConsistent(model, sandbox, look, looking)
  expect(look.failure).toBeUndefined()
  const doubtful = look.results.flatMap(({ row, outcome }) =>
    outcome === 'doubtful' ? row.raw.number : []
  )
  const isThere = (row: number) => sandbox.timesAdded(database, row) > 0
  const settling = {
    ...plan,
    acceptDoubtful: doubtful.filter(isThere),
    resendDoubtful: doubtful.filter(row => !isThere(row))
  }
  const report = await sandbox.run(settling)
  expectConsistent(model, sandbox, report, settling)
  return report
}

/** No row is lost or added twice, and every doubtful row is reported. */
function expectConsistent(model: Model, sandbox: Sandbox, report: RunReport, plan: RunPlan): void {
  const { results, failure, wasKilled, sent } = report
  const { database, inputName, resendDoubtful = [] } = plan
  const known = model[database]
  const timesAdded = (row: number) => sandbox.timesAdded(database, row)
  const outcomes = new Map(results.map(({ row, outcome }) => [row.raw.number, outcome]))
  // Each row has one result.
  expect(outcomes.size).toBe(results.length)

  for (const { row } of sent) {
    expect(known.added, 'a row that was reported as added is never sent again').not.toContain(row)
    if (resendDoubtful === true || resendDoubtful.includes(row)) continue
    expect(known.doubtful, 'a doubtful row is sent again only if the user says so').not.toContain(
      row
    )
  }
  for (let row = 1; row <= sandbox.rowCount; row += 1)
    expect(timesAdded(row)).toBeLessThanOrEqual(1)
  // Within a run, only requests that certainly had no effect are repeated.
  const last = new Map(sent.map(({ row, behavior }) => [row, behavior]))
  for (const [index, { row, behavior }] of sent.entries()) {
    const isRepeated = sent.slice(index + 1).some(later => later.row === row)
    if (isRepeated)
      expect(['limit the rate', 'Retry-After', 'refuse the connection']).toContain(behavior)
  }

  for (const [row, outcome] of outcomes) {
    if (outcome === 'added' || outcome === 'skipped') expect(timesAdded(row)).toBe(1)
    if (outcome === 'rejected') expect(last.get(row)).toBe('reject')
  }
  if (!wasKilled) {
    for (const [row, behavior] of last) {
      if (leavesDoubt(behavior))
        expect(outcomes.get(row), 'a row in doubt is reported as doubtful').toBe('doubtful')
      if (behavior === 'add') expect(outcomes.get(row)).toBe('added')
    }
  }

  for (const [row, behavior] of last) {
    if (leavesDoubt(behavior) || (wasKilled && behavior === 'add')) known.doubtful.add(row)
  }
  for (const [row, outcome] of outcomes) {
    if (outcome === 'added' || outcome === 'skipped') {
      known.added.add(row)
      known.doubtful.delete(row)
    }
  }

  expect(failure?.code, 'the input and the journal are accepted').not.toBe('usage')
  if (wasKilled || failure !== undefined) return
  const names: readonly string[] = ['path', 'symbolic link', 'other spelling']
  if (names.includes(inputName)) known.isPathKnown = true
  // A complete run has a result for every row.
  expect(outcomes.size).toBe(sandbox.rowCount)
  for (const row of known.doubtful)
    expect(outcomes.get(row)).toBe(last.get(row) === 'reject' ? 'rejected' : 'doubtful')
  for (let row = 1; row <= sandbox.rowCount; row += 1) {
    if (timesAdded(row) > 0 && last.get(row) !== 'reject') {
      expect(['added', 'skipped', 'doubtful']).toContain(outcomes.get(row))
    }
  }
}

test('an import loses no row, adds no row twice, and reports every doubtful row, until all are settled', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.commands(commands, { maxCommands: 8 }),
      async (rowCount, sequence) => {
        const sandbox = createSandbox(rowCount)
        const model: Model = { first: nothingKnown(), second: nothingKnown() }
        await fc.asyncModelRun(() => ({ model, real: sandbox }), sequence)
        for (const database of databases) {
          const plan: RunPlan = {
            inputName: 'copy',
            database,
            behaviors: ['add'],
            concurrency: 3,
            retries: 1
          }
          const { results } = await settle(model, sandbox, plan)
          for (const { outcome } of results) expect(['added', 'skipped']).toContain(outcome)
          for (let row = 1; row <= rowCount; row += 1)
            expect(sandbox.timesAdded(database, row)).toBe(1)
        }
      }
    ),
    { numRuns: Number(process.env.PETSTORE_TEST_RUNS ?? 25), endOnFailure: false }
  )
}, 300_000)
