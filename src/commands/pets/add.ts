import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { petStatuses } from '../../model/pets.ts'
import type { NewPet } from '../../model/schema.ts'
import { petColumns } from '../../output/view.ts'
import { commandLine } from '../../platform/shell.ts'
import { command, define, fileToRead, int64, option, petName, problemWith } from '../declare.ts'

export const addPet = () =>
  define(
    command('add', 'add one pet', {
      prints: { shape: 'object', schema: 'pet' },
      actsOn: ['environment', 'requests', 'data'],
      changes: 'service',
      fields: petColumns.names,
      needs: [
        { options: ['--name', '--file'], isPrompted: true },
        { options: ['--category-id', '--file'], placeholder: 'ID', isPrompted: true },
      ],
      bareValues: [
        ['--file', /^-$|\.json$|^\.{0,2}\//i],
        ['--category-id'],
        ['--status'],
        ['--name', /^(?!-$|\s*[{[]|\.{0,2}\/|\w+=)(?!.*\.(csv|json|jsonl|ndjson)$)/i],
      ],
      takesObject: 'pet',
      details: ['In a terminal, the command prompts for a missing name or category id.'],
      examples: [
        [
          'petstore pets add --env local --name Rex --category-id 2 --status available',
          'add a pet',
        ],
        [
          `echo '{"name":"Rex","categoryId":2}' | petstore pets add --env local --file -`,
          'add a pet from JSON',
        ],
        [
          'petstore pets add --env local --name Rex --category-id 2 --dry-run',
          'print the request and send nothing',
        ],
      ],
    })
      .option('--name <name>', 'name of the pet', petName)
      .option('--category-id <id>', 'id of its category', int64)
      .addOption(option('--status <status>', 'status of the pet').choices(petStatuses))
      .addOption(
        option('--file <file>', 'JSON file with the pet (-: standard input)')
          .argParser(fileToRead)
          .conflicts(['name', 'categoryId', 'status']),
      ),
    async ({ file, ...typed }, context) => {
      const pet =
        file === undefined ? await fromOptions(context, typed) : await fromFile(context, file)
      const client = await context.client()
      const added = await client.addPet(pet).catch((error) => {
        throw withStatus(error, typed.status)
      })
      const place = (await context.settings()).toEnvironment()
      await context.output.changedAtService(added, petColumns, 'added', place)
    },
  )

/** The hint after an unknown outcome finds the pet, also by the status that was typed. */
function withStatus(error: unknown, status: NewPet['status']): unknown {
  const isDoubtful = error instanceof Failure && ['in-doubt', 'interrupted'].includes(error.code)
  if (isDoubtful && error.hint !== undefined && status !== undefined) {
    error.hint = `${error.hint} --status ${status}`
  }
  return error
}

type TypedPet = { [Field in keyof NewPet]?: NewPet[Field] | undefined }

async function fromOptions(
  context: Context,
  { name, categoryId, status }: TypedPet,
): Promise<NewPet> {
  if (name !== undefined && categoryId !== undefined) return { name, categoryId, status }
  const missing = [
    name === undefined ? '--name' : [],
    categoryId === undefined ? '--category-id' : [],
  ].flat()
  const message = `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`
  return context.withPrompts(async (openPrompt) => {
    const prompt = openPrompt(incomplete(context, name, message))
    const settings = await context.settings()
    settings.requireEndpoint('pets')
    return {
      name: name ?? (await prompt.line('Name', problemWith(petName))),
      categoryId: categoryId ?? int64(await prompt.line('Category id', problemWith(int64))),
      status,
    }
  })
}

/** The refusal where nothing prompts. */
function incomplete(context: Context, name: string | undefined, message: string): Failure {
  if (name !== undefined) {
    const hint = context.retyped({ '--category-id': 'ID' })
    return new Failure('usage', message, { hint, isIncomplete: true })
  }
  const withWay = `${message}: --file - reads standard input`
  if (context.host.hasFileInput()) return new Failure('usage', withWay)
  return new Failure('usage', withWay, { hint: 'petstore pets add --help' })
}

async function fromFile(context: Context, file: string): Promise<NewPet> {
  const text = await context.input.text(file)
  const source = file === '-' ? 'standard input' : file
  const isArray = text.trimStart().startsWith('[')
  if (isArray || /\.(csv|tsv|ndjson|jsonl)$/i.test(file)) {
    const environment = (await context.settings()).value('env')
    const options = { '--env': environment }
    throw new Failure('usage', `${source} is a list of pets, which 'petstore pets import' adds`, {
      hint: commandLine('petstore pets import', { paths: [file], options }),
    })
  }
  const { readNewPet } = await import('../../model/schema.ts')
  return readNewPet(text, source)
}
