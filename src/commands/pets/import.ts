import { InvalidArgumentError } from '@commander-js/extra-typings'
import { importFormats } from '../../import/formats.ts'
import { resultColumns } from '../../import/results.ts'
import { wholeNumber } from '../../settings/value-types.ts'
import { command, define, fileToRead, fileToWrite, noted, option, readerOf } from '../declare.ts'

export const importPets = define(
  command('import', 'add many pets from a file', {
    prints: 'lines',
    actsOn: ['key', 'requests', 'rows', 'data'],
    changes: 'service',
    fields: resultColumns,
    details: [
      'A row has the fields name, categoryId and, optionally, status; in CSV, these are the columns.',
      'Each row has a line of JSON in the output, also with -o json.',
      'The header of CSV decides what separates its fields: comma, semicolon or tab.',
      'After an interruption, run the same command again: it resumes and adds no row twice.'
    ],
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
    .argument(
      '<file>',
      'rows as NDJSON, a JSON array, or CSV with a header (-: standard input)',
      fileToRead
    )
    .addOption(
      option('--format <format>', 'format of the file, detected by default').choices(importFormats)
    )
    .option(
      '--concurrency <count>',
      'number of requests at a time',
      readerOf(wholeNumber({ minimum: 1, maximum: 256 })),
      8
    )
    .option('--journal <file>', 'file that records the state of each row', fileToWrite)
    .addOption(
      noted(option('--restart', 'start over; rows that were already added are sent again'), {
        isDrastic: true
      })
    )
    .addOption(
      option('--check', 'check every row and send nothing').conflicts([
        'journal',
        'restart',
        'resendDoubtful',
        'acceptDoubtful'
      ])
    )
    .option(
      '--rejects <file>',
      'write the rejected and invalid rows to this file, unchanged',
      fileToWrite
    )
    .option('--stop-on-error', 'stop at the first row that is not added')
    .addOption(
      noted(
        option(
          '--resend-doubtful <lines>',
          'resend these rows, whose outcome is unknown, or all'
        ).argParser(text => (text === 'all' ? true : rowNumbers(text))),
        { isDrastic: true }
      )
    )
    .addOption(
      noted(
        option(
          '--accept-doubtful <lines>',
          'count these rows, whose outcome is unknown, as added'
        ).argParser(rowNumbers),
        { isDrastic: true }
      )
    ),
  async (options, context, path) => {
    // After Ctrl-C, requests in flight finish and their outcomes are recorded, which takes a
    // moment.
    context.interruption.isHeld = true
    if (path === '-' && context.host.terminal.stdin) {
      const end = 'end them with Ctrl-D on a line of its own'
      await context.report.notice('reading', `reading rows from the terminal; ${end}`)
    }
    const isDryRun = (await context.settings()).value('dry-run')
    if (isDryRun || options.check) {
      const { checkRows } = await import('./import/check-rows.ts')
      await checkRows(context, path, options, isDryRun)
    } else {
      const { addRows } = await import('./import/add-rows.ts')
      await addRows(context, path, options)
    }
  }
)

/** `4,6`: the lines of rows; in a JSON array, the numbers of elements. */
function rowNumbers(text: string): readonly number[] {
  if (!/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/.test(text)) {
    throw new InvalidArgumentError('Use line numbers separated by commas, such as 4,6.')
  }
  return [...new Set(text.split(',').map(Number))]
}
