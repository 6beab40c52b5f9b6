import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { checkKey, fingerprint } from '../../model/endpoint.ts'
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
import { variableOf } from '../../settings/table.ts'
import { command, define, problemWith } from '../declare.ts'

export const authLogin = () =>
  define(
    command('login', 'test an API key and save it', {
      prints: { shape: 'object', schema: 'login' },
      actsOn: ['environment', 'requests'],
      changes: 'machine',
      bareValues: [['--base-url', /^https?:\/\//]],
      readsKey: true,
      createsEnvironment: true,
      details: [
        'In a terminal, the command prompts for the key without showing it; elsewhere, it reads the key from standard input. If the service refuses the key, nothing is saved. An environment that does not exist is created.',
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
      const addresses = await readAddresses(context, environment, typed)
      if (settings.value('dry-run') && !verify) {
        throw new Failure('usage', '--dry-run has nothing to show: --no-verify sends no request')
      }
      const key = settings.value('dry-run') ? '' : await readKey(context, name)
      if (verify) {
        // A refused login saves nothing, so the hint repeats the options.
        const login = context.retyped({ '--env': name })
        const endpoint = {
          url: addresses.baseUrl,
          key,
          describeKey: 'this API key',
          environment: name,
          login,
        }
        await (await context.client({ endpoint })).listPets({ limit: 1 })
      }

      const { before, after } = await context.store.change((state) =>
        saveKey(state, name, key, addresses),
      )
      const tested = verify ? '' : ', not tested'
      const chosen =
        before.environment === undefined ? `; '${name}' is now the default environment` : ''
      await context.report.confirm(
        `logged in to '${name}' (key ${await fingerprint(key)}${tested})${chosen}`,
      )
      await context.output.changed<'login'>({
        environment: name,
        changed: before !== after,
        baseUrl: shownAddress(addresses.baseUrl),
        messagesUrl:
          addresses.messagesUrl === undefined ? null : shownAddress(addresses.messagesUrl),
        fingerprint: await fingerprint(key),
        tested: verify,
        defaultEnvironment: defaultEnvironment(after),
      })
      const keyVariable = variableOf(environment.apiKey?.origin)
      if (keyVariable !== undefined) {
        await context.report.notice(
          'overridden',
          `${keyVariable} is set and overrides the saved API key`,
        )
      }
      for (const field of ['baseUrl', 'messagesUrl'] as const) {
        const variable = variableOf(environment[field]?.origin)
        const old = savedEnvironment(before, name)[field]
        if (
          typed[field] !== undefined ||
          variable === undefined ||
          old === undefined ||
          old === addresses[field]
        )
          continue
        await context.report.notice(
          'saved-url',
          `the URL in ${variable} has replaced the saved ${shownAddress(old)}`,
        )
      }
    },
  )

/** The URLs that the API key will belong to: those given now, otherwise the current ones. */
async function readAddresses(context: Context, environment: EnvironmentSettings, typed: Addresses) {
  const allowsHttp = (await context.settings()).value('allow-http')
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
  const prompt = await context.prompt(refusal)
  const read = (answer: string) => check(answer.trim(), 'the base URL')
  const answer = await prompt.line(
    `Base URL of '${name}', such as https://HOST/v1`,
    problemWith(read),
  )
  return { baseUrl: read(answer), messagesUrl }
}

async function readKey(context: Context, name: string): Promise<string> {
  if (!context.host.terminal.stdin) return checkKey(withoutFinalNewline(await context.input.pipe()))
  const hint = `petstore auth login --env ${name} < key.txt`
  const prompt = await context.prompt(
    new Failure('usage', 'the API key is missing, and prompts are off', { hint }),
  )
  // A pasted key often has spaces around it.
  const read = (answer: string) => checkKey(answer.trim())
  return read(await prompt.secret(`API key for '${name}'`, problemWith(read)))
}
