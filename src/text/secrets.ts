import { withoutFinalNewline } from './final-newline.ts'

const shortestSecret = 4

/** The texts that must never be printed, and the function that removes them from other texts. */
export function createSecrets() {
  const secrets: string[] = []
  /** Made when something is masked, which many runs never do. */
  let forms: string[] | undefined
  const mask = (text: string) => {
    // A secret may contain another one.
    forms ??= secrets.flatMap(formsOf).sort((one, other) => other.length - one.length)
    let shown = text
    for (const form of forms) shown = shown.replaceAll(form, '***')
    return shown
  }
  return {
    /** From now on, this secret, if there is one, never appears on stderr. */
    addSecret: (secret = '') => {
      // A key is sent without its final newline, and a service repeats it without one.
      secrets.push(withoutFinalNewline(secret))
      forms = undefined
    },
    /** The same protection for text that is data. Where an escape hides a secret, all are undone. */
    redact: (text: string) => {
      const shown = mask(text)
      const plain = unescaped(shown)
      const masked = mask(plain)
      return masked === plain ? shown : masked
    }
  }
}

function formsOf(secret: string) {
  const bytes = Buffer.from(secret).toString('latin1')
  const forms = [secret, unescaped(secret), unescaped(bytes)]
  return forms.filter(({ length }) => length >= shortestSecret)
}

/** No writer escapes more often. Without a limit, the time could grow with the square of the text. */
const mostLevels = 8

/**
 * The text without backslashes, escapes of JSON and percent-encoding, also of each other. It does not
 * matter which are undone first, so each spelling of a secret becomes the same text.
 */
function unescaped(text: string) {
  let plain = text
  for (let level = 0; level < mostLevels; level++) {
    plain = plain.replace(/\\+|%(?:25)*([\da-f]{2})|u([\da-f]{4})/gi, (_, byte, unit) => {
      const code = byte ?? unit
      return code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16))
    })
  }
  return plain
}
