import agents from '../../skills/petstore/SKILL.md'
import environment from './topics/environment.md'
import exitCodes from './topics/exit-codes.md'
import formats from './topics/formats.md'
import imports from './topics/import.md'
import options from './topics/options.md'
import security from './topics/security.md'

/**
 * The pages of help that belong to no single command, in the order of `petstore --help`. They are
 * finished, and printed as they are.
 */
export function helpTopics() {
  return [
    topic('options', options),
    topic('environment', environment),
    topic('exit-codes', exitCodes),
    topic('formats', formats),
    topic('import', imports),
    topic('security', security),
    { name: 'agents', summary: 'how an agent uses petstore (a skill in Markdown)', page: agents }
  ]
}

/** The first line of a topic's file is its summary; the page follows. */
function topic(name: string, file: string) {
  const [summary = ''] = file.split('\n', 1)
  return {
    name,
    summary: summary.replace('# ', ''),
    page: file.slice(summary.length).trimStart()
  }
}
