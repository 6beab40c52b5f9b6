import { Failure } from '../../failure.ts'
import { petStatuses } from '../../model/pets.ts'
import type { NewPet } from '../../model/request-schema.ts'
import { petColumns } from '../../output/view.ts'
import type { Context } from '../../session/context.ts'
import { nameOf, readText } from '../../system/read-input.ts'
import { command, define, option } from '../declare.ts'
import { idempotencyKey, int64, petName } from '../readers.ts'

export const addPet = define(
  command('add', 'add one pet', {
    prints: 'object',
    actsOn: ['request'],
    changes: 'service',
    columns: petColumns,
    details: 'In a terminal, the command prompts for what is missing.',
    isComplete: ({ file, name, categoryId }) => {
      return file !== undefined || (name !== undefined && categoryId !== undefined)
    },
    examples: `
      # add a pet
      petstore pets add --env local --name Rex --category-id 2 --status available
      # add a pet from JSON
      echo '{"name":"Rex","categoryId":2}' | petstore pets add --env local --file -
      # add a pet once, however often this line runs
      petstore pets add --env local --name Rex --category-id 2 --idempotency-key rex-1
      # print the request and send nothing
      petstore pets add --env local --name Rex --category-id 2 --dry-run
    `
  })
    .aliases(['create', 'new'])
    .option('--name <name>', 'name of the pet', petName)
    .option('--category-id <id>', 'id of its category', int64)
    .addOption(option('--status <status>', 'status of the pet').choices(petStatuses))
    .addOption(
      option('--file <file>', 'JSON file with the pet (-: standard input)').conflicts([
        'name',
        'categoryId',
        'status'
      ])
    )
    .option(
      '--idempotency-key <key>',
      'sent as Idempotency-Key: a service that honors it adds the pet once',
      idempotencyKey
    ),
  async ({ file, idempotencyKey: key, ...typed }, context) => {
    const pet =
      file === undefined ? await fromOptions(context, typed) : await fromFile(context, file)
    const client = await context.client()
    const added = await client.addPet(pet, key)
    const place = ` to ${context.settings.value('env')}`
    await context.output.changedAtService(added, petColumns, 'added', place)
  }
)

const statusChoices = ['none', ...petStatuses] as const

async function fromOptions(context: Context, typed: Partial<NewPet>) {
  const { name, categoryId, status } = typed
  if (name !== undefined && categoryId !== undefined) return { name, categoryId, status }
  return context.withPrompts(async openPrompt => {
    const problem = 'a pet needs --name and --category-id; --file - reads standard input'
    const prompt = openPrompt(new Failure('usage', problem))
    context.requireReady('pets')
    const typedName = name ?? (await prompt.text('Name', petName))
    const typedId = categoryId ?? (await prompt.text('Category id', int64))
    const chosen = status ?? (await prompt.choice('Status', statusChoices))
    return {
      name: typedName,
      categoryId: typedId,
      status: chosen === 'none' ? undefined : chosen
    }
  })
}

async function fromFile(context: Context, file: string) {
  const text = await readText(context, file)
  const { readNewPet } = await import('../../model/request-schema.ts')
  return readNewPet(text, nameOf(file))
}
