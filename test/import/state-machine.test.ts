import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  behaviors,
  createSandbox,
  inputNames,
  leavesDoubt,
  type RunPlan,
  type RunReport,
  type Sandbox,
} from './sandbox.ts'

/** The rows whose state is known from the reports so far. */
interface Model {
  /** Rows that were reported as added. */
  readonly added: Set<number>
  /** Rows that may have been added: they must not be sent again without --resend-doubtful. */
  readonly doubtful: Set<number>
}

const runPlan: fc.Arbitrary<RunPlan> = fc.record({
  inputName: fc.constantFrom(...inputNames),
  behaviors: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('add' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...behaviors) },
    ),
    { minLength: 1, maxLength: 12 },
  ),
  concurrency: fc.integer({ min: 1, max: 6 }),
  retries: fc.integer({ min: 0, max: 4 }),
  resendDoubtful: fc.boolean(),
})

/** From 0 to 1. */
const share = fc.noBias(fc.integer({ min: 0, max: 999 })).map((thousandths) => thousandths / 1000)

const inTrouble = fc
  .record({
    plan: runPlan,
    trouble: fc.constantFrom('kill', 'power cut', 'Ctrl-C'),
    at: fc.noBias(fc.integer({ min: 1, max: 60 })),
    share,
  })
  .map(({ plan, trouble, at, share }): RunPlan => {
    if (trouble === 'Ctrl-C') return { ...plan, interruptAtRequest: Math.ceil(at / 4) }
    return { ...plan, killAtStep: at, ...(trouble === 'power cut' && { powerCut: share }) }
  })

type Command = fc.AsyncCommand<Model, Sandbox>

const commands = [
  runPlan.map((plan): Command => runCommand('run', plan)),
  inTrouble.map((plan): Command => runCommand('run in trouble', plan)),
  fc.constant<Command>({
    check: () => true,
    async run(_, sandbox) {
      sandbox.replaceInput()
    },
    toString: () => 'replace the input by the same content',
  }),
  runPlan.map(
    (plan): Command => ({
      check: ({ added, doubtful }) => added.size + doubtful.size > 0,
      async run(_, sandbox) {
        const { failure, sent } = await sandbox.runWithOtherContent({ ...plan, inputName: 'path' })
        expect({ code: failure?.code, sent }).toEqual({ code: 'usage', sent: [] })
      },
      toString: () => `run with other content ${JSON.stringify(plan)}`,
    }),
  ),
  fc.tuple(runPlan, fc.integer({ min: 1, max: 20 })).map(
    ([plan, request]): Command => ({
      check: () => true,
      async run(model, sandbox) {
        const report = await sandbox.run({ ...plan, deleteJournalAtRequest: request })
        expectConsistent(model, sandbox, report, plan)
        if (report.sent.length < request) return
        expect(report.failure?.code).toBe('local')
        sandbox.reset()
        model.added.clear()
        model.doubtful.clear()
      },
      toString: () => `delete the journal at request ${request} ${JSON.stringify(plan)}`,
    }),
  ),
  fc
    .record({
      plan: runPlan,
      kind: fc.constantFrom('flip', 'zeros'),
      share,
      mask: fc.integer({ min: 1, max: 255 }),
    })
    .map(
      ({ plan, kind, share, mask }): Command => ({
        check: () => true,
        async run(model, sandbox) {
          const journal = sandbox.journal()
          if (journal === undefined) return
          const intact = readFileSync(journal)
          const damaged = Buffer.from(intact)
          const at = Math.min(intact.length - 1, Math.floor(share * intact.length))
          if (kind === 'flip') damaged[at] = (damaged[at] ?? 0) ^ mask
          else damaged.fill(0, at)
          writeFileSync(journal, damaged)
          const report = await sandbox.run(plan)
          if (
            report.failure !== undefined &&
            ['local', 'usage'].includes(report.failure.code) &&
            report.results.length === 0
          ) {
            expect(report.sent).toEqual([])
            expect(readFileSync(journal)).toEqual(damaged)
            writeFileSync(journal, intact)
          } else {
            expectConsistent(model, sandbox, report, plan)
          }
        },
        toString: () => `damage the journal (${kind} at ${share}, mask ${mask}) ${JSON.stringify(plan)}`,
      }),
    ),
]

function runCommand(name: string, plan: RunPlan): Command {
  return {
    check: () => true,
    async run(model, sandbox) {
      expectConsistent(model, sandbox, await sandbox.run(plan), plan)
    },
    toString: () => `${name} ${JSON.stringify(plan)}`,
  }
}

/** No row is lost or added twice unreported, and every doubtful row is reported. */
function expectConsistent(model: Model, sandbox: Sandbox, report: RunReport, plan: RunPlan): void {
  const { results, failure, wasKilled, sent } = report
  const outcomes = new Map(results.map(({ row, outcome }) => [row.raw.number, outcome]))
  // Each row has one result.
  expect(outcomes.size).toBe(results.length)

  for (const { row } of sent) {
    expect(model.added, 'a row that was reported as added is never sent again').not.toContain(row)
    if (!plan.resendDoubtful)
      expect(model.doubtful, 'a doubtful row is not sent again without --resend-doubtful').not.toContain(row)
  }
  // Within a run, only requests that certainly had no effect are repeated.
  const last = new Map(sent.map(({ row, behavior }) => [row, behavior]))
  for (const [index, { row, behavior }] of sent.entries()) {
    const isRepeated = sent.slice(index + 1).some((later) => later.row === row)
    if (isRepeated) expect(['limit the rate', 'Retry-After', 'refuse the connection']).toContain(behavior)
  }

  for (const [row, outcome] of outcomes) {
    if (outcome === 'added' || outcome === 'skipped') expect(sandbox.timesAdded(row)).toBeGreaterThan(0)
    if (outcome === 'rejected') expect(last.get(row)).toBe('reject')
  }
  if (!wasKilled) {
    for (const [row, behavior] of last) {
      if (leavesDoubt(behavior)) expect(outcomes.get(row), 'a row in doubt is reported as doubtful').toBe('doubtful')
      if (behavior === 'add') expect(outcomes.get(row)).toBe('added')
    }
  }

  for (const [row, behavior] of last) {
    if (leavesDoubt(behavior) || (wasKilled && behavior === 'add')) model.doubtful.add(row)
  }
  for (const [row, outcome] of outcomes) {
    if (outcome === 'added' || outcome === 'skipped') {
      model.added.add(row)
      model.doubtful.delete(row)
    }
  }

  expect(failure?.code, 'the input and the journal are accepted').not.toBe('usage')
  if (wasKilled || failure !== undefined) return
  // A complete run has a result for every row.
  expect(outcomes.size).toBe(sandbox.rowCount)
  for (const row of model.doubtful) expect(outcomes.get(row)).toBe(last.get(row) === 'reject' ? 'rejected' : 'doubtful')
  for (let row = 1; row <= sandbox.rowCount; row += 1) {
    if (sandbox.timesAdded(row) > 0 && last.get(row) !== 'reject') {
      expect(['added', 'skipped', 'doubtful']).toContain(outcomes.get(row))
    }
  }
}

test('an import loses no row, adds no row twice without reporting it, and reports every doubtful row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.commands(commands, { maxCommands: 8 }),
      async (rowCount, sequence) => {
        await fc.asyncModelRun(
          () => ({ model: { added: new Set<number>(), doubtful: new Set<number>() }, real: createSandbox(rowCount) }),
          sequence,
        )
      },
    ),
    { numRuns: Number(process.env.PETSTORE_TEST_RUNS ?? 60), endOnFailure: false },
  )
}, 300_000)
