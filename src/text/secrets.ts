import { withoutFinalNewline } from './final-newline.ts'

const shortestSecret = 4

/** The texts that must never be printed, and the function that removes them from other texts. */
export function createSecrets() {
  let forms: string[] = []
  return {
    /** From now on, this secret, if there is one, never appears on stderr. */
    addSecret: (secret = '') => {
      // A key is sent without its final newline, and a service repeats it without one.
      const text = withoutFinalNewline(secret)
      if (text.length < shortestSecret) return
      const inUrl = encodeURIComponent(text)
      const inJson = JSON.stringify(text).slice(1, -1)
      // JSON may escape a slash.
      const escaped = inJson.replaceAll('/', '\\/')
      forms = [...forms, text, inUrl, inJson, escaped]
      // A secret may contain another one.
      forms.sort((one, other) => other.length - one.length)
    },
    /** The same protection for text that is data. */
    redact: (text: string) => forms.reduce((shown, form) => shown.replaceAll(form, '***'), text)
  }
}
