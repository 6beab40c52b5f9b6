import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { withoutFinalNewline } from '../../platform/read-input.ts'
import { commandLine } from '../../platform/shell.ts'
import { checkAddress } from '../../settings/address.ts'
import type { EnvironmentSettings } from '../../settings/endpoint.ts'
import { saveKey, settingUp } from '../../settings/environments.ts'
import { checkKey, fingerprint } from '../../settings/keys.ts'
import { command, define, option } from '../declare.ts'

export const authLogin = () =>
  define(
    command('login', 'keep a key, once the service has accepted it', {
      actsOn: ['environment', 'requests'],
      examples: [
        ['petstore auth login --base-url https://HOST/v1', 'ask for the key, which does not show'],
        ['petstore auth login --env staging --no-verify < key.txt', 'a key from a file, untried'],
      ],
    })
      .addOption(option('--base-url <url>', "the environment's base address, kept in the same step"))
      .addOption(option('--messages-url <url>', "the environment's messages address, kept in the same step"))
      .addOption(option('--no-verify', 'keep the key without trying it')),
    async ({ baseUrl, messagesUrl, verify }, context) => {
      const settings = await context.settings()
      const name = settings.value('env')
      const environment = settings.environmentNamed(name, settingUp(name))
      if (environment.name === 'local') {
        throw new Failure('usage', 'the local environment needs no key', { hint: 'petstore pets list --env local' })
      }
      const addresses = await readAddresses(context, environment, { baseUrl, messagesUrl })
      if (settings.value('dry-run') && !verify) {
        throw new Failure('usage', '--dry-run has nothing to show: with --no-verify no request is sent')
      }
      const key = settings.value('dry-run') ? '' : await readKey(context, environment.name)
      if (verify) await tryKey(context, environment, addresses, key)

      await context.store.change((state) => saveKey(state, environment.name, key, addresses))
      const tried = verify ? 'was accepted by' : 'was kept untried for'
      const at = addresses.baseUrl ?? `the environment ${environment.name}`
      await context.notice('logged-in', `the key ${await fingerprint(key)} ${tried} ${at} (${environment.name})`)
      if (context.host.env.PETSTORE_API_KEY) {
        await context.notice('overridden', 'PETSTORE_API_KEY is set and beats the key that was kept')
      }
    },
  )

interface Addresses {
  readonly baseUrl?: string | undefined
  readonly messagesUrl?: string | undefined
}

/** The addresses that the key will belong to: those given now, else those in force. */
async function readAddresses(context: Context, environment: EnvironmentSettings, typed: Addresses): Promise<Addresses> {
  const { env } = context.host
  const given = (address: string, source: string) => checkAddress(address, { source, malformed: 'usage', env })
  const inForce = (setting: EnvironmentSettings['baseUrl'], source: string) =>
    setting && checkAddress(setting.value, { source: nameOf(setting) ?? source, env })

  const messagesUrl = typed.messagesUrl
    ? given(typed.messagesUrl, '--messages-url')
    : inForce(environment.messagesUrl, `the messages address of ${environment.name}`)
  const baseUrl = typed.baseUrl
    ? given(typed.baseUrl, '--base-url')
    : (inForce(environment.baseUrl, `the base address of ${environment.name}`) ??
      (await askForBase(context, environment)))
  return { baseUrl, messagesUrl }
}

const nameOf = ({ origin }: NonNullable<EnvironmentSettings['baseUrl']>) =>
  origin.kind === 'variable' ? origin.name : undefined

async function askForBase(context: Context, { name }: EnvironmentSettings): Promise<string> {
  if (!(await context.settings()).value('input')) {
    throw new Failure('local', `the environment ${name} has no base address`, {
      hint: `petstore auth login --env ${name} --base-url https://HOST/v1`,
    })
  }
  const answer = await (await context.prompt()).line(`Base address of ${name}`, { placeholder: 'https://HOST/v1' })
  return checkAddress(answer, { source: 'the address', malformed: 'usage', env: context.host.env })
}

async function readKey(context: Context, name: string): Promise<string> {
  if (!context.host.terminal.stdin) return checkKey(withoutFinalNewline(await context.readFile('-')))
  if (!(await context.settings()).value('input')) {
    throw new Failure('usage', 'the key may not be asked for, and standard input is a terminal', {
      hint: `petstore auth login --env ${name} < key.txt`,
    })
  }
  return checkKey(await (await context.prompt()).secret(`API key of ${name}`))
}

/** Asks for the least that needs a key. */
async function tryKey(context: Context, environment: EnvironmentSettings, addresses: Addresses, key: string) {
  const { baseUrl: url } = addresses
  if (url === undefined) return
  const { name } = environment
  const login = loginCommand(environment, addresses)
  const client = await context.clientFor({ url, key, describeKey: 'this key', environment: name, login })
  await client.listPets({ limit: 1 })
}

/** The same login once more: a refused one keeps nothing, so whatever is not in force already is said again. */
function loginCommand({ name, baseUrl, messagesUrl }: EnvironmentSettings, addresses: Addresses): string {
  const unlessInForce = (url: string | undefined, inForce: string | undefined) => (url === inForce ? undefined : url)
  return commandLine('petstore auth login', {
    options: {
      '--env': name,
      '--base-url': unlessInForce(addresses.baseUrl, baseUrl?.value),
      '--messages-url': unlessInForce(addresses.messagesUrl, messagesUrl?.value),
    },
  })
}
