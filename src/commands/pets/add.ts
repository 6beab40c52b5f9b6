import { type NewPet, petStatuses } from '../../api/model.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { petColumns } from '../../output/columns.ts'
import { command, int64, option } from '../declare.ts'

export const addPet = (context: Context) =>
  command('add', 'add an animal', {
    actsOn: ['environment', 'requests', 'changes', 'data'],
    fields: petColumns,
    examples: [
      ['petstore pets add --env local --name Rex --category-id 2 --status available', 'add one animal'],
      [`echo '{"name":"Rex","categoryId":2}' | petstore pets add --env local --file -`, 'the same from JSON'],
      ['petstore pets add --env local --name Rex --category-id 2 --dry-run', 'the request as a curl command, unsent'],
    ],
  })
    .addOption(option('--name <name>', "the animal's name"))
    .addOption(option('--category-id <id>', 'the category that it belongs to').argParser(int64))
    .addOption(option('--status <status>', 'its state').choices(petStatuses))
    .addOption(
      option('--file <file>', 'read the animal as JSON from a file, - for standard input').conflicts([
        'name',
        'categoryId',
        'status',
      ]),
    )
    .action(async ({ file, ...typed }) => {
      const pet = file === undefined ? fromOptions(typed) : await fromFile(context, file)
      const client = await context.client()
      await context.output.item(await client.addPet(pet), petColumns)
    })

type Typed = { [Field in keyof NewPet]?: NewPet[Field] | undefined }

function fromOptions({ name, categoryId, status }: Typed): NewPet {
  if (name === undefined) throw missing('--name')
  if (name.trim() === '') throw new Failure('usage', '--name must not be blank')
  if (categoryId === undefined) throw missing('--category-id')
  return { name, categoryId, status }
}

async function fromFile(context: Context, file: string): Promise<NewPet> {
  const text = await context.readFile(file)
  const { readNewPet } = await import('../../api/new-pet.ts')
  return readNewPet(text, file === '-' ? 'standard input' : file)
}

const missing = (flag: string) => new Failure('usage', `${flag} is missing`, { hint: 'petstore pets add --help' })
