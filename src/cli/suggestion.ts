import { areExclusive, type Need, optionNotes } from '../commands/declare.ts'
import { hintWord } from '../platform/shell.ts'
import { type SavedState, savedEnvironment } from '../settings/saved-state.ts'
import { concealed } from '../settings/typed-secrets.ts'
import { reasonAgainst } from './absences.ts'
import { type CommandLine, environmentIn, findOption, type Mistake, typedOption } from './argv.ts'
import type { Argv } from './edits.ts'
import { repaired } from './fixes.ts'
import { habitsOf } from './habits.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { commandPath, optionsUnder, rootOf } from './tree.ts'

/** What a hint depends on beside the command line. */
export interface Situation {
  /** The command prompts for what is missing. */
  readonly canPrompt: boolean
  /** Standard input is a file that is not empty. */
  readonly hasFileInput: boolean
  /** The environment without `--env`, and what is saved. */
  readonly environment: string
  readonly saved: SavedState
}

/** A line with more mistakes than this gets no suggestion. */
const maximumFixes = 5

export interface Suggestion {
  readonly hint: string | undefined
  /** The mistake that has no repair, and the line in which it stands. */
  readonly unrepaired?: { readonly line: CommandLine; readonly mistake: Mistake }
}

/**
 * The only place that makes the hint of a mistake. It is always safe to run: it repairs one mistake
 * after another, and repeats nothing but what was typed.
 */
export async function suggestionFor(
  typed: CommandLine,
  first: Mistake,
  situation: Situation
): Promise<Suggestion> {
  let line = typed
  let mistake: Mistake | undefined = first
  let page: ParsedLine['page']
  let adds: readonly Argv[] = []
  for (let count = 0; mistake !== undefined || adds.length > 0; count += 1) {
    let argv: Argv
    if (mistake === undefined) {
      argv = withOptions(line, missingOf(line, adds))
      adds = []
    } else {
      const canRepair = count < maximumFixes && !isDrastic(line)
      const repair = canRepair ? await repaired(line, mistake) : undefined
      if (repair === undefined)
        return { hint: withoutRepair(line, mistake), unrepaired: { line, mistake } }
      argv = repair.argv
      adds = [...adds, ...(repair.adds ?? [])]
    }
    const next = parseArgv(rootOf(typed.command), argv)
    line = next.typed
    page = next.page
    mistake = next.mistake
  }
  // It prints only the version, whatever else is typed.
  if (page === 'version') return { hint: 'petstore --version' }
  const isRefused = page === 'help' || isDrastic(line) || replacesSaved(line, situation)
  const isWhole = !isRefused && canBeShown(line, typed)
  const whole = isWhole ? completed(line, situation.canPrompt) : undefined
  return { hint: whole ?? helpOn(line) }
}

/** The options that the line does not have, nor any that excludes them. */
function missingOf({ command, options }: CommandLine, adds: readonly Argv[]): Argv {
  const missing = adds.filter(([flag = '']) => {
    const option = findOption(command, flag)
    return !options.some(({ option: typed }) => {
      return typed.long === flag || (option !== undefined && areExclusive(option, typed))
    })
  })
  return missing.flat()
}

/** What follows `--` is no option. */
function withOptions({ argv, isLiteral }: CommandLine, options: Argv): Argv {
  const end = isLiteral ? argv.lastIndexOf('--') : argv.length
  return [...argv.slice(0, end), ...options, ...argv.slice(end)]
}

/** A repair may have joined words, so the secrets are looked for as they were typed. */
function canBeShown({ argv }: CommandLine, typed: CommandLine): boolean {
  return argv.every(word => !word.endsWith('\n') && concealed(word, typed.argv) === word)
}

function helpOn({ command }: CommandLine): string {
  return `${commandPath(command)} --help`
}

function withoutRepair(line: CommandLine, mistake: Mistake): string | undefined {
  const { argv, command } = line
  if (mistake.kind === 'unknown option' && command.notes.takesObject === 'fields') {
    const { text } = mistake.word
    // Of the options for a body, the reason says what there is instead.
    const isData = habitsOf(command, text).length > 0 && reasonAgainst(command, text) !== undefined
    if (isData) return undefined
  }
  if (mistake.kind !== 'refused' || isDrastic(line)) return helpOn(line)
  const { hint } = mistake.failure
  if (hint === undefined) return helpOn(line)
  const hasSecret = concealed(hint, argv) !== hint
  return hasSecret ? helpOn(line) : hint
}

/** It deletes something or sends it again, so it is never corrected. */
function isDrastic({ argv, command }: CommandLine): boolean {
  if (command.notes.deletes === true) return true
  const drastic = optionsUnder(rootOf(command)).filter(option => optionNotes(option).isDrastic)
  const flags = drastic.map(({ long }) => long)
  return argv.some(word => {
    const [flag] = word.split('=', 1)
    return flags.includes(flag) || word.includes('PETSTORE_ALLOW_HTTP')
  })
}

/** Whether the line would replace a URL or an API key that is saved, or give one to `local`. */
function replacesSaved(line: CommandLine, { saved, environment }: Situation): boolean {
  const name = environmentIn(line) ?? environment
  const { apiKey, baseUrl, messagesUrl } = savedEnvironment(saved, name)
  if (line.command.notes.readsKey === true && apiKey !== undefined) return true
  const replacesUrl = (flag: string, before: string | undefined) => {
    const url = typedOption(line, flag)?.value?.text
    if (url === undefined) return false
    const isOther = before !== undefined && url.replace(/\/+$/, '') !== before
    return isOther || environmentIn(line) === 'local'
  }
  return replacesUrl('--base-url', baseUrl) || replacesUrl('--messages-url', messagesUrl)
}

/**
 * The valid command line with what it still needs; undefined if it needs a value that has no
 * placeholder.
 */
function completed(line: CommandLine, canPrompt: boolean): string | undefined {
  const {
    options: [flag],
    placeholder
  } = missingNeed(line, canPrompt) ?? { options: [], placeholder: '' }
  if (placeholder === undefined) return undefined
  const added = flag === undefined ? [] : [flag, placeholder]
  return ['petstore', ...withOptions(line, added)].map(hintWord).join(' ')
}

function missingNeed({ command, options }: CommandLine, canPrompt: boolean): Need | undefined {
  const typed = options.map(({ option }) => option.long)
  return command.notes.needs?.find(need => {
    const isAsked = need.isPrompted === true && canPrompt
    const isMet = need.options.some(flag => typed.includes(flag))
    return !isAsked && !isMet
  })
}
