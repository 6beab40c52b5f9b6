import agents from '../../skills/petstore/SKILL.md'
import environment from './topics/environment.md'
import exitCodes from './topics/exit-codes.md'
import formats from './topics/formats.md'
import imports from './topics/import.md'
import options from './topics/options.md'

/** The pages of help that belong to no single command. */
export const topics = new Map(
  Object.entries({
    environment,
    'exit-codes': exitCodes,
    formats,
    import: imports,
    options,
    agents
  })
)

export const topicNames = [...topics.keys()]
