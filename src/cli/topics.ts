import agents from '../../skills/petstore/SKILL.md'
import { endings } from '../failure.ts'
import { formats } from '../output/formats.ts'
import { aboutOption, helper, rowsOfHelp } from './page-style.ts'
import { declaredOptions } from './shared-options.ts'
import environment from './topics/environment.md'
import exitCodes from './topics/exit-codes.md'
import formatsPage from './topics/formats.md'
import imports from './topics/import.md'
import options from './topics/options.md'

/** The pages of help that belong to no single command. `{formats}` stands for a table. */
export const topics = new Map(
  Object.entries({
    environment,
    'exit-codes': exitCodes,
    formats: formatsPage,
    import: imports,
    options,
    agents
  })
)

export const topicNames = [...topics.keys()]

/** The width that topics are written for. */
export const writtenFor = 80

/** What is to be copied stays as it is: examples, and the skill. */
export function topicPage(topic: string, width: number): string {
  const [text = '', examples] = topic.split(/(?=\nExamples:)/)
  if (examples === undefined) return topic
  const unbroken = text.replace(/(?<=\S)\n(?: {4,}|(?=\S))/g, ' ')
  const fitted = width < writtenFor ? helper.boxWrap(unbroken, width) : text
  return fitted.replace(/^ {2}\{(.*)\}$/m, (_line, name) => tableNamed(name)) + examples
}

/** What the program knows, so that no page can say something else. */
function tableNamed(name: string) {
  switch (name) {
    case 'exit-codes':
      return rowsOfHelp(endings.map(([code, ending, about]) => [`${code} ${ending}`, about]))
    case 'formats':
      return rowsOfHelp(
        Object.entries(formats).map(([format, { description }]) => [format, description])
      )
    default:
      return rowsOfHelp(declaredOptions.map(option => [option.flags, aboutOption(option)]))
  }
}
