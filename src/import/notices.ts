import { grouped, longDate, plural } from '../text/quantities.ts'
import { fileName } from './record.ts'
import type { Import } from './run.ts'

/** A notice: a code for programs, and a text. */
type Notice = readonly [code: string, message: string]

/** What a person should know before anything is sent. */
export function noticesOf(run: Import, isCi: boolean): Notice[] {
  const { plan, options } = run
  if (plan === undefined) return []
  const before = beforeText(run)
  const ci = isCi && plan.isFirst && !options.check
  return [
    ...(ci ? [['no-journal', unknownText] as const] : []),
    ...run.elsewhere().map(({ environment, address }): Notice => {
      const isHere = environment === options.place?.environment
      const place = isHere ? `at ${address}` : `in '${environment}' at this address`
      return ['added-elsewhere', `this file was imported ${place}; here it is another import`]
    }),
    ...(plan.hasOtherKey
      ? [['other-key', 'this file was imported with another API key before'] as const]
      : []),
    ...plan.unread.map(
      ({ message }) => ['not-compared', `not compared with another import: ${message}`] as const
    ),
    ...(before === undefined ? [] : [['added-before', before] as const])
  ]
}

const unknownText =
  'this machine has no journal here, so it does not know what others added. --batch NAME, where the service honors keys, or a PETSTORE_JOURNAL_DIR that is kept add no pet twice'

/** What earlier runs added, and what of it is not here any more; undefined if that is nothing. */
function beforeText({ plan, rows, options, input }: Import) {
  const { added = 0, gone = 0, file = null, at = null } = plan?.before ?? {}
  const missing = `${plural(gone, 'pet')} of the last input ${gone === 1 ? 'is' : 'are'} gone`
  if (added === 0) return gone === 0 ? undefined : missing
  const from = file === null || file === fileName(input) ? '' : ` from ${file}`
  const day = at === null ? '' : ` on ${dayText(new Date(Number(at) * 1000), options.now())}`
  const isEverything = added === rows && options.add === undefined
  const text = isEverything
    ? `nothing sent: ${rows === 1 ? 'the row was' : `all ${plural(rows, 'row')} were`} added before,${from}${day}`
    : `added before,${from}${day}: ${grouped(added)} of ${plural(rows, 'row')}`
  const others = isEverything ? `. Other pets: ${options.batch ? 'another ' : ''}--batch NAME` : ''
  return `${text}${gone === 0 ? '' : `; ${missing}`}${others}`
}

/** `28 November`, with the year if it is another one; the same in every time zone. */
function dayText(day: Date, now: Date) {
  const text = longDate(day)
  return text.replace(` ${now.getUTCFullYear()}`, '')
}
