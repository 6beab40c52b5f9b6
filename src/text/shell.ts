import { posixShell, powerShell } from './shells.ts'

export const isWindows = process.platform === 'win32'

export const {
  /** A word of a command. */
  quoted: shellQuoted,
  /** A word of a hint, which is printed without invisible characters. */
  hintWord,
  /** A text as the value of a variable. */
  value: quotedValue,
  /** A command of the system by its name here. */
  command: systemCommand,
  /** The variable in a text with double quotes. */
  variable: variableInText,
  setVariable,
  unsetVariable,
  /** Between the options of a command that is long. */
  lineBreak
} = isWindows ? powerShell : posixShell

/** By name; `true` for an option without a value, a list for one that is repeated. */
export type HintOptions = Readonly<
  Record<string, string | true | undefined | readonly (string | true)[]>
>

/**
 * A command line for a hint. `command` stays unchanged, everything else is quoted, and no value
 * that begins with a dash is taken for an option.
 */
export function commandLine(
  command: string,
  { paths = [], options = {} }: { paths?: readonly string[]; options?: HintOptions }
): string {
  const pathWords = paths.map(unambiguousPath)
  const optionWords = Object.entries(options).flatMap(([name, values]) => {
    return [values ?? []].flat().flatMap(value => optionWordsOf(name, value))
  })
  const quoted = [...pathWords, ...optionWords].map(hintWord)
  return [command, ...quoted].join(' ')
}

/** A command of the system with paths, for a hint. */
export const pathCommand = (command: string, ...paths: string[]) =>
  commandLine(systemCommand(command), { paths })

function optionWordsOf(name: string, value: string | true) {
  if (value === true) return [name]
  if (value.startsWith('-')) return [`${name}=${value}`]
  return [name, value]
}

/** `-` alone is standard input. */
function unambiguousPath(path: string) {
  return path.startsWith('-') && path !== '-' ? `./${path}` : path
}
