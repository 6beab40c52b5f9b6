/**
 * A word, quoted so that bash, zsh, dash and fish read it alike. In fish, a backslash is an escape
 * inside quotes too.
 */
export function shellQuoted(word: string): string {
  if (safeWord.test(word)) return word
  if (word === '') return "''"
  return word.replace(/[^'\\]+|['\\]/g, part => {
    const isSpecial = part === "'" || part === '\\'
    return isSpecial ? `\\${part}` : `'${part}'`
  })
}

/**
 * zsh replaces a word with a leading equals sign by the path of a command, and fish `%self` by its
 * process id.
 */
const safeWord = /^(?![=%])[\w@%+=:,./-]+$/

/** By name; `true` for an option without a value. Undefined ones are left out. */
export type HintOptions = Readonly<Record<string, string | true | undefined>>

interface Arguments {
  readonly paths?: readonly string[]
  readonly options?: HintOptions
  /** Other words: text, names. */
  readonly words?: readonly string[]
}

/**
 * A command line for a hint. `command` stays unchanged, everything else is quoted, and no value
 * that begins with a dash is taken for an option.
 */
export function commandLine(
  command: string,
  { paths = [], options = {}, words = [] }: Arguments
): string {
  const pathWords = paths.map(unambiguousPath)
  const optionWords = Object.entries(options).flatMap(optionWordsOf)
  const needsSeparator = words.some(word => word.startsWith('-'))
  const separator = needsSeparator ? ['--'] : []
  const allWords = [...pathWords, ...optionWords, ...separator, ...words]
  const quoted = allWords.map(hintWord)
  return [command, ...quoted].join(' ')
}

/** The same for a command of the system. */
export const pathCommand = (command: string, ...paths: string[]) => commandLine(command, { paths })

function optionWordsOf([name, value]: [string, string | true | undefined]): string[] {
  if (value === undefined) return []
  if (value === true) return [name]
  if (value.startsWith('-')) return [`${name}=${value}`]
  return [name, value]
}

/** `-` alone is standard input. */
function unambiguousPath(path: string): string {
  return path.startsWith('-') && path !== '-' ? `./${path}` : path
}

/**
 * A word for a hint. Messages replace control and invisible characters, so `printf` writes a word
 * that has such characters. A shell cuts off the newlines at the end of what it prints: no hint can
 * hold such a word.
 */
export function hintWord(word: string): string {
  if (!/[\p{C}\p{Zl}\p{Zp}]/u.test(word)) return shellQuoted(word)
  if (word.endsWith('\n')) return 'NAME'
  const escaped = word.replaceAll(/^-|[\p{C}\p{Zl}\p{Zp}'\\]/gu, octalEscapes)
  const format = escaped.replaceAll('%', '%%')
  return `"$(printf '${format}')"`
}

function octalEscapes(character: string): string {
  const bytes = [...Buffer.from(character)]
  const escapes = bytes.map(byte => {
    const octal = byte.toString(8)
    return `\\${octal.padStart(3, '0')}`
  })
  return escapes.join('')
}
