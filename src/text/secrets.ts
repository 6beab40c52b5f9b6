import { withoutFinalNewline } from './final-newline.ts'

const shortestSecret = 4

/** The texts that must never be printed, and the function that removes them from other texts. */
export function createSecrets() {
  let secrets: string[] = []
  let patterns: RegExp[] | undefined
  return {
    /** From now on, this secret, if there is one, never appears on stderr. */
    addSecret: (secret = '') => {
      // A key is sent without its final newline, and a service repeats it without one.
      const text = withoutFinalNewline(secret)
      if (text.replaceAll('\\', '').length < shortestSecret) return
      // A secret may contain another one.
      secrets = [...secrets, text].sort((one, other) => other.length - one.length)
      patterns = undefined
    },
    /** The same protection for text that is data. */
    redact: (text: string) => {
      patterns ??= secrets.map(patternOf)
      let shown = text
      for (const pattern of patterns) {
        shown = shown.replace(pattern, '***')
      }
      return shown
    }
  }
}

/** A percent sign and a backslash, which may be percent-encoded themselves, again and again. */
const percent = '%(?:25){0,3}'
const backslash = `(?:\\\\|${percent}5[cC])`

/**
 * Finds a secret with each character as it is, as an escape of JSON or percent-encoded, and any
 * number of backslashes between them. No two parts compete for the same ones, so the time grows with
 * the text alone.
 */
function patternOf(secret: string) {
  const parts = [...secret.matchAll(/(\\*)([^\\])/gu)].map(
    ([, slashes = '', character = ''], index) => {
      const { plain, encoded, escaped } = formsOf(character)
      // It begins where backslashes begin, or after them.
      const begin = `(?<!${backslash})${backslash}+`
      if (index === 0) return `(?:${encoded}|${plain}|${begin}${escaped})`
      const slash = `(?:${backslash}*[uU]005[cC]){0,${slashes.length}}`
      return `${slash}${backslash}*(?:${encoded}|${escaped}|${plain})`
    }
  )
  return new RegExp(parts.join(''), 'gu')
}

/** As parts of a pattern. The escape lacks the backslashes before it. */
function formsOf(character: string) {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return {
    plain: `\\u{${character.codePointAt(0)?.toString(16)}}`,
    encoded: [...Buffer.from(character)].map(byte => `${percent}${hex(byte, 2)}`).join(''),
    escaped: units.map(unit => `[uU]${hex(unit, 4)}`).join(`${backslash}+`)
  }
}

/** In upper and lower case. */
function hex(value: number, digits: number) {
  const text = value.toString(16).padStart(digits, '0')
  return text.replace(/[a-f]/g, letter => `[${letter}${letter.toUpperCase()}]`)
}
