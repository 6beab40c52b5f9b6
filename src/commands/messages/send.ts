import { Failure } from '../../failure.ts'
import type { Columns } from '../../output/view.ts'
import type { Context } from '../../session/context.ts'
import { readText } from '../../system/read-input.ts'
import { statsOf } from '../../system/same-file.ts'
import { withoutFinalNewline } from '../../text/final-newline.ts'
import { command, define } from '../declare.ts'
import { idempotencyKey } from '../readers.ts'

const messageColumns: Columns = {
  names: ['id', 'status', 'createdAt', 'message'],
  noun: 'message',
  isToldByConfirmation: true
}

export const sendMessage = define(
  command('send', 'send a message', {
    prints: 'object',
    actsOn: ['request'],
    changes: 'service',
    columns: messageColumns,
    examples: `
      # send a text
      petstore messages send 'Do you have a parrot?' --env local
      # send the output of another program
      date | petstore messages send --env local
      # send a text once, however often this line runs
      petstore messages send 'We close at noon' --env local --idempotency-key noon-1
    `
  })
    .argument('[text]', 'text of the message (- or none: standard input)')
    .option(
      '--idempotency-key <key>',
      'sent as Idempotency-Key: a service that honors it sends the message once',
      idempotencyKey
    ),
  async ({ idempotencyKey: key }, context, text) => {
    const file = text?.startsWith('@') && text.slice(1)
    // The habit of curl, and a message cannot be taken back.
    if (file === '-' || (file && statsOf(file)?.isFile())) {
      const problem = `'${text}' would be the text: petstore messages send < FILE sends a file`
      throw new Failure('usage', problem)
    }
    const message =
      text === undefined || text === '-' ? await fromStandardInput(context, text) : text
    if (message === '') throw new Failure('usage', 'the message is empty')
    const client = await context.client({ service: 'messages' })
    const sent = await client.sendMessage(message, key)
    const place = ` to ${context.settings.value('env')}`
    const state = sent.status === 'queued' ? '; it is queued, not delivered yet' : ''
    await context.output.changedAtService(sent, messageColumns, 'sent', `${place}${state}`)
  }
)

async function fromStandardInput(context: Context, asked: '-' | undefined) {
  const isTyped = context.host.terminal.stdin && !context.settings.value('input')
  if (isTyped && asked === undefined) throw new Failure('usage', 'the message is missing')
  context.requireReady('messages')
  return withoutFinalNewline(await readText(context, '-'))
}
