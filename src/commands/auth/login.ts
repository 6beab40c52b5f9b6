import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { checkKey, fingerprint } from '../../model/endpoint.ts'
import type { OpenPrompt } from '../../output/prompt.ts'
import type { Reporter } from '../../output/reporter.ts'
import { withoutFinalNewline } from '../../platform/read-input.ts'
import { checkAddress, shownAddress } from '../../settings/address.ts'
import { type EnvironmentSettings, resolveUrl } from '../../settings/endpoint.ts'
import {
  type Addresses,
  checkSettableName,
  defaultEnvironment,
  savedEnvironment,
  saveKey,
  setUpCommand,
} from '../../settings/saved-state.ts'
import type { Settings } from '../../settings/settings.ts'
import { variableOf } from '../../settings/table.ts'
import { command, define, problemWith } from '../declare.ts'
import { noticeOverride } from '../saving.ts'

export const authLogin = () =>
  define(
    command('login', 'test an API key and save it', {
      prints: ['object', 'login'],
      actsOn: ['environment', 'requests'],
      changes: 'machine',
      readsKey: true,
      createsEnvironment: true,
      details: [
        'In a terminal, the command prompts for the key without showing it; elsewhere, it reads the key from standard input. If the service refuses the key, nothing is saved. An environment that does not exist is created. If no default environment was chosen before, this one becomes it.',
      ],
      examples: [
        ['petstore auth login --base-url https://HOST/v1', 'prompt for the key'],
        [
          'petstore auth login --env staging --no-verify < key.txt',
          'read the key from a file and save it untested',
        ],
      ],
    })
      .option('--base-url <url>', 'base URL of the environment, saved with the key')
      .option('--messages-url <url>', 'messages URL of the environment, saved with the key')
      .option('--no-verify', 'save the key without testing it'),
    async ({ verify, ...typed }, context) => {
      const settings = await context.settings()
      const name = settings.value('env')
      if (name === 'local') {
        throw new Failure('usage', "'local' needs no API key", {
          hint: 'petstore pets list --env local',
        })
      }
      checkSettableName(name)
      const environment = settings.newEnvironment(name)
      const { addresses, key } = await context.withPrompts(async (openPrompt) => {
        const addresses = await readAddresses(settings, environment, typed, openPrompt)
        const isDryRun = settings.value('dry-run')
        if (isDryRun && !verify) {
          throw new Failure('usage', '--dry-run has nothing to show: --no-verify sends no request')
        }
        return { addresses, key: isDryRun ? '' : await readKey(context, name, openPrompt) }
      })
      // A dry run ends here.
      if (verify) await testKey(context, name, key, addresses.baseUrl)

      const { before, after } = await context.store.change((state) =>
        saveKey(state, name, key, addresses),
      )
      const tested = verify ? '' : ', not tested'
      const chosen =
        before.environment === undefined ? `; '${name}' is now the default environment` : ''
      await context.report.confirm(
        `logged in to '${name}' (key ${await fingerprint(key)}${tested})${chosen}`,
      )
      const { baseUrl, messagesUrl } = addresses
      await context.output.changed({
        environment: name,
        changed: before !== after,
        baseUrl: shownAddress(baseUrl),
        messagesUrl: messagesUrl === undefined ? null : shownAddress(messagesUrl),
        fingerprint: await fingerprint(key),
        tested: verify,
        defaultEnvironment: defaultEnvironment(after),
      })
      await noticeOverride(context, environment.apiKey)
      await noticeVariables(context.report, environment, {
        typed,
        before: savedEnvironment(before, name),
        after: addresses,
      })
    },
  )

/** Lists one pet with the key. A refused login saves nothing, so the hint repeats the options. */
async function testKey(context: Context, environment: string, key: string, url: string) {
  const login = context.retyped({ '--env': environment })
  const endpoint = { url, key, describeKey: 'this API key', environment, login }
  const client = await context.client({ endpoint })
  await client.listPets({ limit: 1 })
}

interface SavedAddresses {
  readonly typed: Addresses
  readonly before: Addresses
  readonly after: Addresses
}

/** Says which saved URL was replaced by that of a variable. */
async function noticeVariables(
  report: Reporter,
  environment: EnvironmentSettings,
  { typed, before, after }: SavedAddresses,
): Promise<void> {
  for (const field of ['baseUrl', 'messagesUrl'] as const) {
    const variable = variableOf(environment[field]?.origin)
    const old = before[field]
    const isReplaced = old !== undefined && old !== after[field] && typed[field] === undefined
    if (variable !== undefined && isReplaced) {
      const message = `the URL in ${variable} has replaced the saved ${shownAddress(old)}`
      await report.notice('saved-url', message)
    }
  }
}

/** The URLs that the API key will belong to: those given now, otherwise the current ones. */
async function readAddresses(
  settings: Settings,
  environment: EnvironmentSettings,
  typed: Addresses,
  openPrompt: OpenPrompt,
) {
  const allowsHttp = settings.value('allow-http')
  const check = (address: string, source: string) =>
    checkAddress(address, { source, malformed: 'usage', allowsHttp })
  const messagesUrl =
    typed.messagesUrl !== undefined
      ? check(typed.messagesUrl, '--messages-url')
      : environment.messagesUrl && resolveUrl('messages', environment, allowsHttp).url
  if (typed.baseUrl !== undefined)
    return { baseUrl: check(typed.baseUrl, '--base-url'), messagesUrl }
  if (environment.baseUrl !== undefined)
    return { baseUrl: resolveUrl('pets', environment, allowsHttp).url, messagesUrl }

  const { name } = environment
  const refusal = new Failure('local', `no base URL is set for '${name}'`, {
    hint: setUpCommand(name),
  })
  const prompt = openPrompt(refusal)
  const read = (answer: string) => check(answer.trim(), 'the base URL')
  const answer = await prompt.line(
    `Base URL of '${name}', such as https://HOST/v1`,
    problemWith(read),
  )
  return { baseUrl: read(answer), messagesUrl }
}

async function readKey(context: Context, name: string, openPrompt: OpenPrompt): Promise<string> {
  if (!context.host.terminal.stdin) {
    const text = withoutFinalNewline(await context.input.pipe())
    return checkKey(text, 'the API key on standard input')
  }
  const hint = `petstore auth login --env ${name} < key.txt`
  const prompt = openPrompt(new Failure('usage', 'the API key is missing', { hint }))
  // A pasted key often has spaces around it.
  const read = (answer: string) => checkKey(answer.trim())
  return read(await prompt.secret(`API key for '${name}'`, problemWith(read)))
}
