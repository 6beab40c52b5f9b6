import { grouped, longDate, plural } from '../text/quantities.ts'
import { fileName } from './record.ts'
import type { Import } from './run.ts'

/** A notice: a code for programs, and a text. */
type Notice = readonly [code: string, message: string]

/** What a person should know before anything is sent. */
export function noticesOf(run: Import, isCi: boolean): Notice[] {
  const { plan } = run
  const before = beforeText(run)
  const isUnknown = isCi && (plan === undefined || plan.isFirst)
  return [
    ...(isUnknown ? [['no-journal', unknownText] as const] : []),
    ...[...placesElsewhere(run)].map((where): Notice => {
      return ['added-elsewhere', `this file was imported ${where}; here it is another import`]
    }),
    ...(plan?.hasOtherKey
      ? [['other-key', 'this file was imported with another API key before'] as const]
      : []),
    ...(plan?.unread ?? []).map(
      ({ what, failure }) =>
        ['not-compared', `not compared with ${what}: ${failure.message}`] as const
    ),
    ...(before === undefined ? [] : [['added-before', before] as const])
  ]
}

/** Each once: local data may have been deleted many times. */
function placesElsewhere({ elsewhere, options }: Import) {
  const texts = elsewhere().map(({ environment, address }) => {
    if (environment === 'local') return 'into other local data'
    const isHere = environment === options.place?.environment
    return isHere ? `at ${address}` : `in '${environment}' at this address`
  })
  return new Set(texts)
}

const unknownText =
  'this machine has no journal here, so it does not know what others added. --batch NAME, where the service honors keys, or a PETSTORE_JOURNAL_DIR that is kept add no pet twice'

/** What earlier runs added, and what of it is not here any more; undefined if that is nothing. */
function beforeText({ plan, rows, options, input }: Import) {
  const { added = 0, gone = 0, file = '', at = 0n } = plan?.before ?? {}
  const isOne = gone === 1
  const missing = gone && `${plural(gone, 'pet')} of the last input ${isOne ? 'is' : 'are'} gone`
  if (added === 0) return missing || undefined
  const from = file === fileName(input) ? '' : ` from ${file}`
  const day = dayText(new Date(Number(at) * 1000), options.now())
  const origin = `added before,${from} on ${day}`
  const all = plural(rows, 'row')
  const end = missing ? `; ${missing}` : ''
  if (added < rows || options.add !== undefined)
    return `${origin}: ${grouped(added)} of ${all}${end}`
  const were = rows === 1 ? 'the row was' : `all ${all} were`
  const batch = options.batch === undefined ? '' : 'another '
  return `nothing sent: ${were} ${origin}${end}. Other pets: ${batch}--batch NAME`
}

/** `28 November`, with the year if it is another one; the same in every time zone. */
function dayText(day: Date, now: Date) {
  const text = longDate(day)
  return text.replace(` ${now.getUTCFullYear()}`, '')
}
