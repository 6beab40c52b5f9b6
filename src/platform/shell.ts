/** A word for any POSIX shell. */
export function shellQuoted(word: string): string {
  return safeWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** zsh looks up the word behind a leading equals sign as a command. */
const safeWord = /^(?!=)[\w@%+=:,./-]+$/

interface Arguments {
  readonly paths?: readonly string[]
  /** By name; `true` for an option without a value. Those that are undefined are left out. */
  readonly options?: Readonly<Record<string, string | true | undefined>>
  /** What is neither: text, a name. */
  readonly words?: readonly string[]
}

/**
 * A command line for a hint. `command` stands as it is, everything else is quoted, and nothing passes for an option
 * because it begins with a dash.
 */
export function commandLine(command: string, { paths = [], options = {}, words = [] }: Arguments): string {
  const optionWords = Object.entries(options).flatMap(([name, value]) => optionWordsOf(name, value))
  const separator = words.some((word) => word.startsWith('-')) ? ['--'] : []
  return [command, ...[...paths.map(unambiguousPath), ...optionWords, ...separator, ...words].map(hintWord)].join(' ')
}

function optionWordsOf(name: string, value: string | true | undefined): string[] {
  if (value === undefined) return []
  if (value === true) return [name]
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

/** `-` alone is standard input. */
function unambiguousPath(path: string): string {
  return path.startsWith('-') && path !== '-' ? `./${path}` : path
}

/**
 * A word for a hint. Messages replace control and invisible characters, so a word that has some is written with escapes,
 * as bash and zsh read them.
 */
export function hintWord(word: string): string {
  if (!/[\p{C}\p{Zl}\p{Zp}]/u.test(word)) return shellQuoted(word)
  const escaped = word.replaceAll(/['\\]/g, '\\$&').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  })
  return `$'${escaped}'`
}

/** The command that sets a variable. */
export function exportCommand(variable: string, value: string): string {
  return `export ${variable}=${hintWord(value)}`
}
