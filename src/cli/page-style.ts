import { Help, type Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { commandPath } from './tree.ts'

/** Where pages differ from those of commander: the shared options have a page of their own. */
const pageStyle: Partial<Help> = {
  minWidthToWrap: 10,
  commandUsage: command => `${commandPath(command as DeclaredCommand)} ${command.usage()}`,
  subcommandTerm: command => {
    return command.aliases().includes('ls') ? 'list, ls' : command.name()
  },
  visibleOptions: command => {
    return command.parent === null ? [] : [...command.options]
  },
  argumentDescription: ({ description, argChoices }) => {
    return description + inBrackets({ choices: argChoices?.join(', ') })
  },
  optionDescription: aboutOption
}

/** Writes pages of help. Its `helpWidth` is set for each. */
export const helper = Object.assign(new Help(), pageStyle)

/** A column of terms, and what each means. */
export function rowsOfHelp(rows: readonly (readonly [term: string, about: string])[]): string {
  const termWidth = Math.max(...rows.map(([term]) => term.length))
  const lines = rows.map(([term, about]) => helper.formatItem(term, termWidth, about, helper))
  return lines.join('\n')
}

export function aboutOption(option: Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = option
  const notes = {
    choices: argChoices?.join(', '),
    default: defaultValueDescription ?? defaultValue
  }
  return description + inBrackets(notes)
}

/** ` (choices: a, b; default: a)`. Commander's own text shows values as JSON. */
function inBrackets(notes: Readonly<Record<string, unknown>>) {
  const known = Object.entries(notes).filter(([, value]) => value !== undefined)
  const texts = known.map(([name, value]) => `${name}: ${value}`)
  return texts.length === 0 ? '' : ` (${texts.join('; ')})`
}
