import { asFinding, Failure } from '../../failure.ts'
import { checkKey, fingerprint } from '../../model/endpoint.ts'
import type { Context } from '../../session/context.ts'
import { checkAddress, withScheme } from '../../settings/address.ts'
import {
  type Addresses,
  checkSettableName,
  saveKey,
  setUpCommand
} from '../../settings/saved-state.ts'
import type { Settings } from '../../settings/settings.ts'
import { readText } from '../../system/read-input.ts'
import type { OpenPrompt } from '../../terminal/prompt.ts'
import { withoutFinalNewline } from '../../text/final-newline.ts'
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
    const settings = context.settings
    const name = settings.value('env')
    checkSettableName(name)
    const current = settings.knownOrNew(name)
    // The URLs that the API key will belong to: those typed now, otherwise the current ones.
    const given = checkAddresses(settings, {
      baseUrl: typed.baseUrl ?? current.baseUrl?.value,
      messagesUrl: typed.messagesUrl ?? current.messagesUrl?.value
    })
    const { key, ...addresses } = await context.withPrompts(openPrompt =>
      askUntilAccepted({ context, settings, name, verify, openPrompt }, given)
    )

    const states = await context.store.change(state => saveKey(state, name, key, addresses))
    const mark = await fingerprint(key)
    const before = states.before.environment
    const news = newsOfDefault(name, before)
    const text = `logged in to '${name}' (key ${mark})${news}`
    const isTold = await context.report.confirm(text)
    if (!isTold && news !== '')
      await context.report.notice('logged-in', text, { evenIfQuiet: before === undefined })
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
  readonly settings: Settings
  /** The environment. */
  readonly name: string
  readonly verify: boolean
  readonly openPrompt: OpenPrompt
}

/** What was typed so far, and not refused. */
interface Answers {
  baseUrl?: string | undefined
  messagesUrl?: string | undefined
  key?: string
}

/** Where it can prompt, it asks again for what was refused, and keeps what was accepted. */
async function askUntilAccepted(login: Login, given: Addresses) {
  const answers: Answers = { ...given }
  for (;;) {
    try {
      return await ask(login, answers)
    } catch (error) {
      if (await isKeyRefused(login, error)) delete answers.key
      else delete answers.baseUrl
    }
  }
}

/** Asks for what is missing in the answers. Throws what the service refuses. */
async function ask(login: Login, answers: Answers) {
  const { settings, name, verify } = login
  const canPrompt = settings.value('input')
  while (!answers.baseUrl)
    answers.baseUrl = await askForUrl(login, `Base URL of '${name}', such as https://HOST/v1`)
  const { baseUrl } = answers
  const asksFirst = verify && (canPrompt || settings.value('dry-run'))
  if (asksFirst && answers.key === undefined) await askForService(login, baseUrl)
  answers.key ??= await readKey(login)
  const { key } = answers
  if (verify) await listOnePet(login, baseUrl, key)
  if (canPrompt)
    answers.messagesUrl ??= await askForUrl(
      login,
      `Messages URL of '${name}', such as https://HOST (Enter: none)`
    )
  return { baseUrl, messagesUrl: answers.messagesUrl || undefined, key }
}

/** Gives a notice, or throws the error where no other answer mends it. */
async function isKeyRefused({ context, settings }: Login, error: unknown) {
  const { code, message } = asFinding(error)
  if (!settings.value('input') || code === 'usage' || code === 'local') throw error
  await context.report.notice('refused', message, { evenIfQuiet: true })
  return code === 'auth'
}

/** The answer may be empty. */
function askForUrl({ name, settings, openPrompt }: Login, question: string) {
  const hint = setUpCommand(name)
  const prompt = openPrompt(new Failure('local', `no base URL is set for '${name}'`, { hint }))
  const allowsHttp = settings.value('allow-http')
  return prompt.text(question, answer => {
    const url = answer.trim()
    return url && checkAddress(withScheme(url), { source: 'it', allowsHttp })
  })
}

async function readKey({ context, name, openPrompt }: Login) {
  if (!context.host.terminal.stdin) {
    const text = withoutFinalNewline(await readText(context, '-'))
    return checkKey(text, 'the API key on standard input')
  }
  const prompt = openPrompt(new Failure('usage', 'the API key is missing'))
  // A pasted key often has spaces around it.
  return prompt.secret(`API key of '${name}'`, answer => checkKey(answer.trim()))
}

/** A path that may be wrong is told before the key, which would be refused there. */
async function askForService(login: Login, baseUrl: string) {
  const doubt = await askWithoutKey(login.context, targetOf(login, baseUrl))
  if (doubt !== undefined) await login.context.report.notice('base-url', doubt)
}

async function listOnePet(login: Login, baseUrl: string, key: string) {
  const { context } = login
  context.report.addSecret(key)
  const endpoint = { ...targetOf(login, baseUrl), key, describeKey: 'this API key' }
  const client = await context.client({ endpoint })
  await client.listPets({ limit: 1 })
}

/** A refused login saves nothing, so the hint repeats the options. */
function targetOf({ context, name }: Login, url: string) {
  return { url, environment: name, login: context.retyped({ '--env': name }) }
}
