import { isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { type ColorChoice, colorChoices } from '../model/color.ts'
import { type Format, formatNames } from '../output/formats.ts'
import type { Host } from '../platform/host.ts'
import { withoutProxyLogin, withoutUserInfo } from './address.ts'
import { fingerprint } from './keys.ts'
import { anyText, choice, fieldNames, seconds, type ValueType, wholeNumber, yesOrNo } from './value-types.ts'

/** The settings that `config set` saves. */
export interface Preferences {
  output: Format
  timeout: number
  retries: number
  color: ColorChoice
}

/** Every setting and the type of its value; undefined where it may be unset. */
export interface SettingValues extends Preferences {
  env: string
  'base-url': string | undefined
  'messages-url': string | undefined
  'api-key': string | undefined
  'allow-http': boolean
  json: boolean
  fields: readonly string[] | undefined
  jq: string | undefined
  int64: 'string' | undefined
  'dry-run': boolean
  quiet: boolean
  verbose: boolean
  /** Whether the program may prompt for a missing value. */
  input: boolean
  'https-proxy': string | undefined
  'http-proxy': string | undefined
  'no-proxy': string | undefined
  'ca-certs': string | undefined
  'config-dir': string | undefined
}

export type SettingName = keyof SettingValues
export type Defined<Name extends SettingName> = Exclude<SettingValues[Name], undefined>

/** The part of the machine that settings depend on. */
export type Machine = Pick<Host, 'env' | 'terminal' | 'home'>

/**
 * What a command acts on. It decides which shared options mean something to the command, and how it can end: an
 * environment (`--env`), its API key, requests (`--timeout`), requests that change something, the rows of a file, data on
 * stdout (`--output`), the fields of that data, JSON of any shape (`--jq`), or the settings themselves.
 */
export type Subject = 'environment' | 'key' | 'requests' | 'changes' | 'rows' | 'data' | 'fields' | 'json' | 'settings'

export interface Variable<Value> {
  readonly name: string
  /** For the list of variables in help; absent where another entry covers it. */
  readonly about?: string
  /** The value that a non-empty text stands for; undefined where it decides nothing. Absent: as the option reads it. */
  readonly read?: (text: string) => Value | undefined
}

export interface SettingRow<Value> {
  readonly type: ValueType<Value>
  /** The option that every command takes. */
  readonly option?: { readonly flags: string; readonly about: string; readonly subject?: Subject }
  /** The first that is set wins. */
  readonly variables?: readonly Variable<Value>[]
  /** Where the config file has it. */
  readonly savedAs?: 'preference' | 'environment' | { readonly environmentField: 'baseUrl' | 'messagesUrl' | 'apiKey' }
  readonly default?: (machine: Machine) => Value | undefined
  /** The default in words, where it depends on the machine. */
  readonly defaultText?: string
  /** Whether `config list` shows it; what shapes a single run is not listed. */
  readonly isListed: boolean
  /** The value as `config list` and `doctor` may show it. */
  readonly shown?: (value: Value) => string | Promise<string>
}

/**
 * Everything that is stated about a setting. Options, reading, precedence and origins, `config`, help, the man page and the
 * check of the config file are made from these rows; their order is the order in help.
 */
export const settingTable: { readonly [Name in SettingName]: SettingRow<Defined<Name>> } = {
  env: {
    type: anyText,
    option: { flags: '-e, --env <environment>', about: 'the environment to work on', subject: 'environment' },
    variables: [{ name: 'PETSTORE_ENV', about: 'the environment to work on, like --env' }],
    savedAs: 'environment',
    default: () => 'production',
    isListed: true,
  },
  'base-url': {
    type: anyText,
    variables: [{ name: 'PETSTORE_BASE_URL', about: 'the base address; beats a kept one' }],
    savedAs: { environmentField: 'baseUrl' },
    isListed: true,
    shown: withoutUserInfo,
  },
  'messages-url': {
    type: anyText,
    variables: [{ name: 'PETSTORE_MESSAGES_URL', about: 'the messages address; beats a kept one' }],
    savedAs: { environmentField: 'messagesUrl' },
    isListed: true,
    shown: withoutUserInfo,
  },
  'api-key': {
    type: anyText,
    variables: [{ name: 'PETSTORE_API_KEY', about: 'the key; beats a kept one' }],
    savedAs: { environmentField: 'apiKey' },
    isListed: true,
    shown: async (key) => `fingerprint ${await fingerprint(key)}`,
  },
  'allow-http': {
    type: yesOrNo,
    variables: [
      {
        name: 'PETSTORE_ALLOW_HTTP',
        about: '1 allows plain http to other machines',
        read: (text) => text === '1' || undefined,
      },
    ],
    default: () => false,
    isListed: true,
  },
  output: {
    type: choice(formatNames),
    option: { flags: '-o, --output <format>', about: 'how data is written', subject: 'data' },
    variables: [{ name: 'PETSTORE_OUTPUT', about: 'how data is written, like --output' }],
    savedAs: 'preference',
    default: ({ terminal }) => (terminal.stdout ? 'table' : 'json'),
    defaultText: 'table in a terminal, json elsewhere',
    isListed: true,
  },
  json: {
    type: yesOrNo,
    option: { flags: '--json', about: 'the same as --output json', subject: 'data' },
    default: () => false,
    isListed: false,
  },
  fields: {
    type: fieldNames,
    option: {
      flags: '--fields <names>',
      about: 'only these fields of the data, in this order: id,name',
      subject: 'fields',
    },
    isListed: false,
  },
  jq: {
    type: anyText,
    option: {
      flags: '--jq <expression>',
      about: 'what jq makes of the JSON: strings as they are, else a line a result',
      subject: 'json',
    },
    isListed: false,
  },
  int64: {
    type: choice(['string']),
    option: { flags: '--int64 <form>', about: 'put large integers (over 2^53) into quotes in JSON', subject: 'data' },
    isListed: false,
  },
  timeout: {
    // More than a day is a typing error, and Node's timers overflow after 25 days.
    type: seconds({ minimum: 0.001, maximum: 86_400 }),
    option: { flags: '--timeout <seconds>', about: 'how long each attempt may take', subject: 'requests' },
    variables: [{ name: 'PETSTORE_TIMEOUT', about: 'seconds that each attempt may take, like --timeout' }],
    savedAs: 'preference',
    default: () => 30,
    isListed: true,
  },
  retries: {
    type: wholeNumber({ minimum: 0, maximum: 100 }),
    option: {
      flags: '--retries <count>',
      about: 'how many times to try again, where that is safe',
      subject: 'requests',
    },
    variables: [{ name: 'PETSTORE_RETRIES', about: 'how many times to try again, where that is safe, like --retries' }],
    savedAs: 'preference',
    default: () => 3,
    isListed: true,
  },
  'dry-run': {
    type: yesOrNo,
    option: {
      flags: '--dry-run',
      about: 'show what would be sent, as a curl command, and send nothing',
      subject: 'requests',
    },
    default: () => false,
    isListed: false,
  },
  color: {
    type: choice(colorChoices),
    option: { flags: '--color <when>', about: 'whether to colour' },
    variables: [
      { name: 'NO_COLOR', about: 'no colour, like --no-color', read: () => 'never' },
      { name: 'FORCE_COLOR', about: 'colour everywhere, like --color always', read: whenOn('always') },
    ],
    savedAs: 'preference',
    default: () => 'auto',
    isListed: true,
  },
  quiet: {
    type: yesOrNo,
    option: { flags: '-q, --quiet', about: 'nothing but errors on stderr' },
    default: () => false,
    isListed: true,
  },
  verbose: {
    type: yesOrNo,
    option: { flags: '-v, --verbose', about: 'show requests and replies on stderr, without the key' },
    variables: [
      {
        name: 'PETSTORE_DEBUG',
        about: '1 shows requests and replies on stderr, like --verbose',
        read: whenOn(true),
      },
    ],
    default: () => false,
    isListed: true,
  },
  input: {
    type: yesOrNo,
    option: { flags: '--no-input', about: 'ask nothing; what is missing is a usage error' },
    variables: [{ name: 'CI', about: 'never ask, like --no-input', read: whenOn(false) }],
    default: ({ terminal }) => terminal.stdin && terminal.stderr,
    isListed: true,
  },
  'https-proxy': {
    type: anyText,
    variables: [
      { name: 'https_proxy' },
      { name: 'HTTPS_PROXY', about: 'the proxy for https, like http://HOST:PORT; https_proxy beats it' },
    ],
    isListed: true,
    shown: withoutProxyLogin,
  },
  'http-proxy': {
    type: anyText,
    variables: [
      { name: 'http_proxy' },
      { name: 'HTTP_PROXY', about: 'the proxy for plain http, asked to CONNECT; http_proxy beats it' },
    ],
    isListed: true,
    shown: withoutProxyLogin,
  },
  'no-proxy': {
    type: anyText,
    variables: [
      { name: 'no_proxy' },
      { name: 'NO_PROXY', about: 'hosts and networks that need no proxy, or *; the loopback never has one' },
    ],
    isListed: true,
  },
  'ca-certs': {
    type: anyText,
    variables: [
      {
        name: 'NODE_EXTRA_CA_CERTS',
        about: 'a file with certificates of authorities to trust beside the known ones',
      },
    ],
    isListed: true,
  },
  'config-dir': {
    type: anyText,
    variables: [
      { name: 'PETSTORE_CONFIG_DIR', about: 'the directory for everything that is kept', read: resolved },
      // The XDG Base Directory Specification says to ignore a relative path here.
      { name: 'XDG_CONFIG_HOME', read: (text) => (isAbsolute(text) ? join(text, 'petstore') : undefined) },
    ],
    default: (machine) => {
      const home = machine.home()
      return home && isAbsolute(home) ? join(home, '.config', 'petstore') : undefined
    },
    isListed: true,
  },
}

export const settingNames = Object.keys(settingTable) as SettingName[]

export const preferenceNames = settingNames.filter(
  (name): name is keyof Preferences => settingTable[name].savedAs === 'preference',
)

/** Every variable that help names, with what it means. */
export function documentedVariables(): { name: string; about: string }[] {
  return settingNames
    .flatMap((name): readonly Variable<unknown>[] => settingTable[name].variables ?? [])
    .flatMap(({ name, about }) => (about === undefined ? [] : [{ name, about }]))
}

/** A variable that switches something on does so unless it is `0` or `false`. */
function whenOn<Value>(value: Value): (text: string) => Value | undefined {
  return (text) => (text === '0' || text === 'false' ? undefined : value)
}

/** Node throws where the working directory has been deleted. */
function resolved(chosen: string): string {
  try {
    return resolve(chosen)
  } catch (error) {
    throw new Failure('local', 'PETSTORE_CONFIG_DIR is relative to a working directory that is gone', {
      hint: 'unset PETSTORE_CONFIG_DIR',
      cause: error,
    })
  }
}
