import { importFormats } from '../../import/formats.ts'
import { readLines } from '../../import/line-ranges.ts'
import { resultColumns } from '../../import/results.ts'
import { command, define, integer, option, readerOf } from '../declare.ts'

/** The lines of rows; in a JSON array, the numbers of elements. */
const doubtfulLines = readerOf({ expected: 'lines such as 7,2520-2569, or all', read: readLines })

/** `-` would be standard input in the hint that imports this file, and nothing is no name. */
const fileToWrite = readerOf({
  expected: 'the name of a file',
  read: text => (/^-?$/.test(text) ? undefined : text)
})

export const importPets = define(
  command('import', 'add many pets from a file', {
    prints: 'lines',
    actsOn: ['requests', 'rows'],
    changes: 'service',
    columns: { names: resultColumns },
    details:
      'A row has a name, a categoryId and, optionally, a status; an id is dropped. After an interruption or a correction, run the same command again: it resumes, and adds no row twice. A row that is changed after it was added is another row, and another base URL has imports of its own (petstore help import).',
    examples: `
      # import a file, or resume its import
      petstore pets import pets.ndjson --env local
      # check every row and send nothing
      petstore pets import pets.csv --check
      # write the rows to correct to a file
      petstore pets import pets.csv --env local --rejects rejects.csv
      # import from standard input
      petstore pets import - --env local < pets.ndjson
    `
  })
    .argument('<file>', 'CSV with a header, NDJSON or a JSON array (-: standard input)')
    .addOption(
      option('--format <format>', 'format of the file, detected by default').choices(importFormats)
    )
    .option('--concurrency <count>', 'number of requests at a time', integer(1, 256), 8)
    .option('--restart', 'add every row again')
    .addOption(
      option('--check', 'check every row and send nothing').conflicts([
        'restart',
        'resend',
        'accept'
      ])
    )
    .option('--rejects <file>', 'write the rejected and invalid rows to this file', fileToWrite)
    .option('--ignore-unknown', 'leave out other columns and fields')
    .option('--stop-on-error', 'stop at the first row that is not added')
    .option('--resend <lines>', 'send these doubtful rows again, or all', doubtfulLines)
    .option('--accept <lines>', 'count these doubtful rows as added, or all', doubtfulLines),
  async (options, context, path) => {
    // After Ctrl-C, requests in flight finish and their outcomes are recorded, which takes a
    // moment.
    context.interruption.isHeld = true
    const { runImport } = await import('../../import/run-import.ts')
    await runImport(context, path, options)
  }
)
