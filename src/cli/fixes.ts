import type { CommandLine, Mistake } from './argv.ts'
import { edited, type Repair, withEnd, withoutOption } from './edits.ts'
import { repairExcess } from './excess-fixes.ts'
import { repairOption, withoutValue } from './option-fixes.ts'
import { isObject } from './typed-words.ts'
import { meantValue, repairName } from './value-fixes.ts'
import {
  byHabit,
  optionAsArgument,
  repairCommand,
  repairRequest,
  splitAssignment
} from './word-fixes.ts'

/**
 * The command line that was probably meant; it may have another mistake. Undefined if nothing is
 * close.
 */
export async function repaired(line: CommandLine, mistake: Mistake): Promise<Repair | undefined> {
  switch (mistake.kind) {
    case 'unknown command':
      return byHabit(line) ?? repairCommand(line, mistake.word)
    case 'unknown option':
      return repairOption(line, mistake.word)
    case 'needless value':
      return withoutValue(line, mistake.word)
    case 'invalid value':
      return repairValue(line, mistake)
    case 'missing argument':
      // The order does not matter: at most one of these fits a line.
      return (
        byHabit(line) ??
        splitAssignment(line) ??
        optionAsArgument(line, mistake.argument) ??
        repairRequest(line)
      )
    case 'excess words':
      return byHabit(line) ?? repairExcess(line, mistake.words)
    case 'refused': {
      const { unknownName } = mistake.failure
      return unknownName && (byHabit(line) ?? repairName(line, unknownName))
    }
    default:
      return undefined
  }
}

function repairValue(
  line: CommandLine,
  { declared, value }: Extract<Mistake, { kind: 'invalid value' }>
): Repair | undefined {
  const meant = meantValue(line.command, declared, value.text)
  if (meant !== undefined) return withEnd(line.argv, value, meant)
  const typed = line.options.find(option => option.value === value)
  if (typed === undefined) return byHabit(line) ?? repairRequest(line)
  // `--file '{"name":"Rex"}'`: the object has options of its own.
  const edits = { ...withoutOption(typed), [typed.flag.index]: [value.text] }
  return isObject(value.text) ? edited(line.argv, edits) : undefined
}
