import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { petStatuses } from '../../model/pets.ts'
import type { NewPet } from '../../model/schema.ts'
import { petColumns } from '../../output/view.ts'
import { nameOf } from '../../platform/read-input.ts'
import { commandLine } from '../../platform/shell.ts'
import { command, define, fileToRead, int64, option, petName, problemWith } from '../declare.ts'

export const addPet = define(
  command('add', 'add one pet', {
    prints: 'object',
    actsOn: ['requests', 'data'],
    changes: 'service',
    item: 'pet',
    fields: petColumns.names,
    details: ['In a terminal, the command prompts for what is missing.'],
    examples: `
      # add a pet
      petstore pets add --env local --name Rex --category-id 2 --status available
      # add a pet from JSON
      echo '{"name":"Rex","categoryId":2}' | petstore pets add --env local --file -
      # print the request and send nothing
      petstore pets add --env local --name Rex --category-id 2 --dry-run
    `
  })
    .aliases(['create', 'new'])
    .option('--name <name>', 'name of the pet', petName)
    .option('--category-id <id>', 'id of its category', int64)
    .addOption(option('--status <status>', 'status of the pet').choices(petStatuses))
    .addOption(
      option('--file <file>', 'JSON file with the pet (-: standard input)')
        .argParser(fileToRead)
        .conflicts(['name', 'categoryId', 'status'])
    ),
  async ({ file, ...typed }, context) => {
    const pet =
      file === undefined ? await fromOptions(context, typed) : await fromFile(context, file)
    const client = await context.client()
    const added = await client.addPet(pet)
    const place = ` to ${(await context.settings()).value('env')}`
    await context.output.changedAtService(added, petColumns, 'added', place)
  }
)

const statusChoices = ['none', ...petStatuses] as const

type TypedPet = { [Field in keyof NewPet]?: NewPet[Field] | undefined }

async function fromOptions(context: Context, typed: TypedPet): Promise<NewPet> {
  const { name, categoryId, status } = typed
  if (name !== undefined && categoryId !== undefined) return { name, categoryId, status }
  return context.withPrompts(async openPrompt => {
    const prompt = openPrompt(missingOptions(context, name))
    const settings = await context.settings()
    settings.requireEndpoint('pets')
    await context.requireWritable()
    const typedName = name ?? (await prompt.text('Name', problemWith(petName)))
    const typedId = categoryId ?? int64(await prompt.text('Category id', problemWith(int64)))
    const chosen = status ?? (await prompt.choice('Status', statusChoices))
    return {
      name: typedName,
      categoryId: typedId,
      status: chosen === 'none' ? undefined : chosen
    }
  })
}

/** The refusal where nothing prompts. */
function missingOptions({ host, retyped }: Context, name: string | undefined): Failure {
  if (name !== undefined) {
    const hint = retyped({ '--category-id': 'ID' })
    return new Failure('usage', '--category-id is missing', { hint })
  }
  const hint = host.hasFileInput() ? undefined : 'petstore pets add --help'
  const problem = 'a pet needs --name and --category-id: --file - reads standard input'
  return new Failure('usage', problem, { hint })
}

async function fromFile(context: Context, file: string): Promise<NewPet> {
  const text = await context.input.text(file)
  const source = nameOf(file)
  const isArray = text.trimStart().startsWith('[')
  if (isArray || /\.(csv|tsv|ndjson|jsonl)$/i.test(file)) {
    const options = { '--env': (await context.settings()).value('env') }
    throw new Failure('usage', `${source} is a list of pets, which 'petstore pets import' adds`, {
      hint: commandLine('petstore pets import', { paths: [file], options })
    })
  }
  const { readNewPet } = await import('../../model/schema.ts')
  return readNewPet(text, source)
}
