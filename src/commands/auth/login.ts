import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { checkKey, fingerprint, type ServiceName } from '../../model/endpoint.ts'
import type { OpenPrompt } from '../../output/prompt.ts'
import { withoutFinalNewline } from '../../platform/read-input.ts'
import { withInput } from '../../platform/shell.ts'
import { checkAddress, shownUrl } from '../../settings/address.ts'
import { type EnvironmentSettings, resolveUrl } from '../../settings/endpoint.ts'
import {
  type Addresses,
  checkSettableName,
  defaultEnvironment,
  savedEnvironment,
  saveKey,
  setUpCommand
} from '../../settings/saved-state.ts'
import type { Settings } from '../../settings/settings.ts'
import { command, define, option, problemWith } from '../declare.ts'
import { noticeOverride, typedAddresses } from '../saving.ts'

export const authLogin = define(
  command('login', 'test an API key and save it', {
    prints: 'object',
    actsOn: ['requests'],
    changes: 'machine',
    createsEnvironment: true,
    details: [
      'In a terminal, the command prompts for the key without showing it; elsewhere, it reads the key from standard input. If the service refuses the key, nothing is saved. An environment that does not exist is created. If no default environment was chosen before, this one becomes it.'
    ],
    examples: `
      # prompt for the key
      petstore auth login --base-url https://HOST/v1
      # read the key from a file and save it untested
      petstore auth login --env staging --no-verify < key.txt
    `
  })
    .option('--base-url <url>', 'base URL of the environment, saved with the key')
    .option('--messages-url <url>', 'messages URL of the environment, saved with the key')
    .addOption(option('--no-verify', 'save the key without testing it').conflicts('dryRun')),
  async ({ verify, ...typed }, context) => {
    const settings = await context.settings()
    const name = settings.value('env')
    checkSettableName(name)
    const environment = settings.newEnvironment(name)
    const { addresses, key } = await context.withPrompts(async openPrompt => {
      const addresses = await readAddresses(settings, environment, typed, openPrompt)
      const isDryRun = settings.value('dry-run')
      return { addresses, key: isDryRun ? '' : await readKey(context, name, openPrompt) }
    })
    // A dry run ends here.
    if (verify) await testKey(context, name, key, addresses.baseUrl)

    const { before, after } = await context.store.change(state =>
      saveKey(state, name, key, addresses)
    )
    const mark = await fingerprint(key)
    const tested = verify ? '' : ', not tested'
    const chosen =
      before.environment === undefined ? `; '${name}' is now the default environment` : ''
    await context.report.confirm(`logged in to '${name}' (key ${mark}${tested})${chosen}`)
    const { baseUrl, messagesUrl = null } = addresses
    await context.output.changed({
      environment: name,
      changed: before !== after,
      baseUrl,
      messagesUrl,
      fingerprint: mark,
      tested: verify,
      defaultEnvironment: defaultEnvironment(after)
    })
    await noticeOverride(context, environment.apiKey)
    const saved = savedEnvironment(before, name)
    // A variable has another URL.
    for (const field of ['baseUrl', 'messagesUrl'] as const) {
      const old = saved[field]
      if (typed[field] !== undefined || old === undefined || old === addresses[field]) continue
      const message = `${addresses[field]} has replaced the saved ${shownUrl(old)}`
      await context.report.notice('saved-url', message)
    }
  }
)

/** The URLs that the API key will belong to: those given now, otherwise the current ones. */
async function readAddresses(
  settings: Settings,
  environment: EnvironmentSettings,
  typed: Addresses,
  openPrompt: OpenPrompt
) {
  const { baseUrl, messagesUrl } = typedAddresses(settings, typed)
  const allowsHttp = settings.value('allow-http')
  const current = (service: ServiceName) => resolveUrl(service, environment, allowsHttp).url
  return {
    messagesUrl: messagesUrl ?? (environment.messagesUrl && current('messages')),
    baseUrl:
      baseUrl ??
      (environment.baseUrl && current('pets')) ??
      (await promptForUrl(environment.name, allowsHttp, openPrompt))
  }
}

async function promptForUrl(
  name: string,
  allowsHttp: boolean,
  openPrompt: OpenPrompt
): Promise<string> {
  const hint = setUpCommand(name)
  const prompt = openPrompt(new Failure('local', `no base URL is set for '${name}'`, { hint }))
  const read = (answer: string) =>
    checkAddress(answer.trim(), { source: 'the base URL', allowsHttp })
  const question = `Base URL of '${name}', such as https://HOST/v1`
  return read(await prompt.text(question, problemWith(read)))
}

async function readKey(context: Context, name: string, openPrompt: OpenPrompt): Promise<string> {
  if (!context.host.terminal.stdin) {
    const text = withoutFinalNewline(await context.input.pipe())
    return checkKey(text, 'the API key on standard input')
  }
  const hint = withInput('key.txt', `petstore auth login --env ${name}`)
  const prompt = openPrompt(new Failure('usage', 'the API key is missing', { hint }))
  // A pasted key often has spaces around it.
  const read = (answer: string) => checkKey(answer.trim())
  return read(await prompt.secret(`API key for '${name}'`, problemWith(read)))
}

/** Lists one pet with the key. A refused login saves nothing, so the hint repeats the options. */
async function testKey(context: Context, environment: string, key: string, url: string) {
  const login = context.retyped({ '--env': environment })
  const endpoint = { url, key, describeKey: 'this API key', environment, login }
  const client = await context.client({ endpoint })
  await client.listPets({ limit: 1 })
}
