import { asFinding, Failure } from '../../failure.ts'
import { checkKey, fingerprint } from '../../model/endpoint.ts'
import type { Context } from '../../session/context.ts'
import { checkAddress, withScheme } from '../../settings/address.ts'
import { checkSettableName, saveKey, setUpCommand } from '../../settings/saved-state.ts'
import { readText } from '../../system/read-input.ts'
import type { OpenPrompt } from '../../terminal/prompt.ts'
import { askWithoutKey, checkAddresses, noticeMoved } from '../addresses.ts'
import { command, define, option } from '../declare.ts'

export const authLogin = define(
  command('login', 'test an API key and save it', {
    actsOn: ['request'],
    changes: 'machine',
    createsEnvironment: true,
    details:
      'In a terminal, the command prompts for what is missing, and does not show the key; elsewhere, it reads the key from standard input. If the service refuses the key, nothing is saved. An environment that does not exist is created. If no default environment was chosen before, this one becomes it.',
    examples: `
      # prompt for the key
      petstore auth login --base-url https://HOST/v1
      # read the key from a file and save it untested
      petstore auth login --env staging --no-verify < key.txt
    `
  })
    .option('--base-url <url>', 'base URL of the environment, saved with the key', withScheme)
    .option(
      '--messages-url <url>',
      'messages URL of the environment, saved with the key',
      withScheme
    )
    .addOption(option('--no-verify', 'save the key without testing it').conflicts('dryRun')),
  async ({ verify, ...typed }, context) => {
    const { settings, report } = context
    const name = settings.value('env')
    checkSettableName(name)
    const current = settings.knownOrNew(name)
    // The URLs that the API key will belong to: those typed now, otherwise the current ones.
    const answers = checkAddresses(settings, {
      baseUrl: typed.baseUrl ?? current.baseUrl?.value,
      messagesUrl: typed.messagesUrl ?? current.messagesUrl?.value
    })
    const { key, ...addresses } = await context.withPrompts(openPrompt =>
      askUntilAccepted({ context, name, verify, openPrompt, answers })
    )

    const states = await context.store.change(state => saveKey(state, name, key, addresses))
    const before = states.before.environment
    const news = newsOfDefault(name, before)
    const text = `logged in to '${name}' (key ${await fingerprint(key)})${news}`
    const isTold = (await report.confirm(text)) || news === ''
    if (!isTold) await report.notice('logged-in', text, { evenIfQuiet: before === undefined })
    await noticeMoved(context, name, states)
  }
)

/** Which environment later commands use, where that is not what one expects. */
function newsOfDefault(name: string, before: string | undefined) {
  if (before === undefined) return `; '${name}' is now the default environment`
  if (before === name) return ''
  return `; the default is still '${before}': petstore env use ${name}`
}

interface Login {
  readonly context: Context
  /** The environment. */
  readonly name: string
  readonly verify: boolean
  readonly openPrompt: OpenPrompt
  /** What was typed so far, and not refused. */
  readonly answers: Partial<Record<'baseUrl' | 'messagesUrl' | 'key', string | undefined>>
}

/** Where it can prompt, it asks again for what was refused, and keeps what was accepted. */
async function askUntilAccepted(login: Login) {
  const { report, settings } = login.context
  for (;;) {
    try {
      return await ask(login)
    } catch (error) {
      const { code, message } = asFinding(error)
      // No other answer mends these.
      if (!settings.value('input') || code === 'usage' || code === 'local') throw error
      await report.notice('refused', message, { evenIfQuiet: true })
      delete login.answers[code === 'auth' ? 'key' : 'baseUrl']
    }
  }
}

/** Asks for what is missing in the answers. Throws what the service refuses. */
async function ask(login: Login) {
  const { context, name, verify, answers } = login
  const { settings, report } = context
  const canPrompt = settings.value('input')
  while (!answers.baseUrl)
    answers.baseUrl = await askForUrl(login, `Base URL of '${name}', such as https://HOST/v1`)
  const { baseUrl } = answers
  // A refused login saves nothing, so its hint repeats the options.
  const target = { url: baseUrl, environment: name, login: context.retyped({ '--env': name }) }
  const asksFirst = verify && (canPrompt || settings.value('dry-run'))
  if (asksFirst && answers.key === undefined) {
    // A path that may be wrong is told before the key, which would be refused there.
    const doubt = await askWithoutKey(context, target)
    if (doubt !== undefined) await report.notice('base-url', doubt)
  }
  answers.key ??= await readKey(login)
  const { key } = answers
  report.addSecret(key)
  if (verify) {
    const described = { service: 'pets', key, describeKey: 'this API key' } as const
    const client = await context.client({ endpoint: { ...target, ...described } })
    await client.listPets({ limit: 1 })
  }
  if (canPrompt)
    answers.messagesUrl ??= await askForUrl(
      login,
      `Messages URL of '${name}', such as https://HOST (Enter: none)`
    )
  return { baseUrl, messagesUrl: answers.messagesUrl || undefined, key }
}

/** The answer may be empty. */
function askForUrl({ context, name, openPrompt }: Login, question: string) {
  const hint = setUpCommand(name)
  const prompt = openPrompt(new Failure('local', `no base URL is set for '${name}'`, { hint }))
  const allowsHttp = context.settings.value('allow-http')
  return prompt.text(question, answer => {
    const url = answer.trim()
    return url && checkAddress(withScheme(url), { source: 'it', allowsHttp })
  })
}

async function readKey({ context, name, openPrompt }: Login) {
  if (!context.host.terminal.stdin)
    return checkKey(await readText(context, '-'), 'the API key on standard input')
  const prompt = openPrompt(new Failure('usage', 'the API key is missing'))
  // A pasted key often has spaces around it.
  return prompt.secret(`API key of '${name}'`, answer => checkKey(answer.trim()))
}
