import { importFormats } from '../../import/formats.ts'
import { readLines } from '../../import/line-ranges.ts'
import type { Selection } from '../../import/options.ts'
import { resultColumns } from '../../import/results.ts'
import { command, define, option } from '../declare.ts'
import { given, integer, readerOf } from '../readers.ts'

const kinds = ['known', 'changed', 'doubtful'] as const

/** The lines of rows (in a JSON array, the numbers of elements), or a kind of held rows. */
const heldRows = readerOf({
  expected: 'lines such as 7,2520-2569, or known, changed or doubtful',
  read: text => kinds.find(kind => kind === text) ?? readLines(text)
})
/** A file may have rows of several kinds: a repeated option adds to the one before. */
const selections = (text: string, before: readonly Selection[] = []): readonly Selection[] => [
  ...before,
  heldRows(text)
]

/** `-` would be standard input in the hint that imports this file, and nothing is no name. */
const fileToWrite = readerOf({
  expected: 'the name of a file',
  read: text => (text === '-' ? undefined : text || undefined)
})

export const importPets = define(
  command('import', 'add many pets from a file', {
    prints: 'lines',
    actsOn: ['requests', 'rows'],
    changes: 'service',
    columns: { names: resultColumns },
    details:
      'A pet is added once, as far as this machine can know: run the import again after an interruption, or when rows were added, corrected or moved, in this file or a copy. What may be a double is held: --add sends it, --skip counts it as added (petstore help import).',
    examples: `
      # import a file, or what is new in it
      petstore pets import pets.ndjson --env local
      # see how many pets would be added
      petstore pets import pets.csv --env local --check
      # write the rows to correct to a file
      petstore pets import pets.csv --env local --rejects rejects.csv
      # other pets, although they equal those of last month
      petstore pets import pets.csv --env local --batch june
    `
  })
    .argument('<file>', 'CSV with a header, NDJSON or a JSON array (-: standard input)')
    .addOption(
      option('--format <format>', 'format of the file, detected by default').choices(importFormats)
    )
    .option('--concurrency <count>', 'number of requests at a time', integer(1, 256), 8)
    .option('--check', 'preview what would be added, and send nothing')
    .option(
      '--batch <name>',
      'one set of pets, known by this name alone, whatever the file',
      given('a name')
    )
    .option('--add <rows>', 'send these rows: lines, known, changed or doubtful', selections)
    .option('--skip <rows>', 'count these rows as added: lines or a kind', selections)
    .option('--rejects <file>', 'write the rejected and invalid rows to this file', fileToWrite)
    .option('--ignore-unknown', 'leave out other columns and fields')
    .option('--stop-on-error', 'stop at the first row that is rejected or invalid'),
  async (options, context, path) => {
    // After Ctrl-C, requests in flight finish and their outcomes are recorded, which takes a
    // moment.
    context.interruption.isHeld = true
    const { runImport } = await import('../../import/run-import.ts')
    await runImport(context, path, options)
  }
)
