import { formatNames } from '../output/formats.ts'
import { colorChoices } from '../output/paint.ts'
import { flag, type SettingRow, switchedOnBy, whenOn } from './setting-row.ts'
import { anyText, choice, fieldNames, seconds, wholeNumber, yesOrNo } from './value-types.ts'

/** Programs that run commands for a person set one of these, also in a terminal. */
const variablesOfAgents = [
  'AI_AGENT',
  'CLAUDECODE',
  'GEMINI_CLI',
  'AGENT',
  'CODEX_SANDBOX',
  'COPILOT_AGENT',
  'CURSOR_AGENT',
  'OPENCODE'
].map(name => ({ name, read: whenOn(false) }))

/**
 * All settings. Options, reading, precedence and origins, `config`, help, the man page and the
 * check of the config file are derived from these rows; their order is the order in help.
 */
export const settingTable = {
  env: {
    type: anyText,
    option: {
      flags: '-e, --env <environment>',
      about: 'the environment to use',
      subject: 'environment'
    },
    variables: [{ name: 'PETSTORE_ENV' }],
    default: () => 'production',
    defaultText: 'production'
  },
  'base-url': { type: anyText, variables: [{ name: 'PETSTORE_BASE_URL' }] },
  'messages-url': { type: anyText, variables: [{ name: 'PETSTORE_MESSAGES_URL' }] },
  'api-key': { type: anyText, variables: [{ name: 'PETSTORE_API_KEY' }] },
  'allow-http': switchedOnBy('PETSTORE_ALLOW_HTTP', text => text === '1' || undefined),
  'read-only': switchedOnBy('PETSTORE_READ_ONLY'),
  output: {
    type: choice(formatNames),
    option: { flags: '-o, --output <format>', about: 'the output format' },
    variables: [{ name: 'PETSTORE_OUTPUT' }],
    default: ({ terminal }) => (terminal.stdout ? 'table' : 'json'),
    defaultText: 'table in a terminal, otherwise json'
  },
  json: flag({ flags: '--json', about: 'same as --output json' }),
  fields: {
    type: fieldNames,
    option: {
      flags: '--fields <names>',
      about: 'only these fields, in this order, for example id,name',
      subject: 'fields'
    }
  },
  jq: {
    type: anyText,
    option: {
      flags: '--jq <expression>',
      about: 'run a jq expression over the JSON; strings are printed raw',
      subject: 'json'
    }
  },
  int64: {
    type: choice(['string']),
    option: {
      flags: '--int64 <form>',
      about: 'in JSON, print integers beyond 2^53 as strings',
      subject: 'data'
    }
  },
  timeout: {
    // More than a day is a typing error, and Node's timers overflow after 25 days.
    type: seconds(0.001, 86_400),
    option: {
      flags: '--timeout <seconds>',
      about: 'the time limit for one attempt at a request',
      subject: 'requests'
    },
    variables: [{ name: 'PETSTORE_TIMEOUT' }],
    default: () => 30,
    defaultText: '30'
  },
  retries: {
    type: wholeNumber(0, 100),
    option: {
      flags: '--retries <count>',
      about: 'how many times to retry a request that is safe to repeat',
      subject: 'requests'
    },
    variables: [{ name: 'PETSTORE_RETRIES' }],
    default: () => 3,
    defaultText: '3'
  },
  'dry-run': flag({
    flags: '--dry-run',
    about: 'print the request as a curl command and send nothing',
    subject: 'request'
  }),
  color: {
    type: choice(colorChoices),
    option: { flags: '--color <when>', about: 'when to use color' },
    variables: [
      { name: 'NO_COLOR', read: () => 'never' as const },
      { name: 'FORCE_COLOR', read: text => whenOn('always')(text) ?? 'never' }
    ],
    default: () => 'auto' as const,
    defaultText: 'auto'
  },
  quiet: flag({
    flags: '-q, --quiet',
    about: 'print no progress, and only notices of what may go wrong'
  }),
  verbose: {
    ...flag({
      flags: '-v, --verbose',
      about: 'show requests and replies on stderr, without the API key'
    }),
    ...switchedOnBy('PETSTORE_DEBUG')
  },
  input: {
    type: yesOrNo,
    option: { flags: '--no-input', about: 'never prompt; a missing value is a usage error' },
    variables: [{ name: 'CI', read: whenOn(false) }, ...variablesOfAgents],
    default: ({ terminal }) => terminal.stdin && terminal.stderr
  }
} satisfies Record<string, SettingRow<unknown>>

export type SettingName = keyof typeof settingTable

/** Every setting and the type of its value; undefined where it may be unset. */
export type SettingValues = {
  [Name in SettingName]: (typeof settingTable)[Name] extends SettingRow<infer Value, infer Default>
    ? Value | Default
    : never
}

/** The settings that `config set` saves. */
export const preferenceNames = ['output', 'timeout', 'retries', 'color'] as const
export type Preferences = Pick<SettingValues, (typeof preferenceNames)[number]>

export const settingNames = Object.keys(settingTable) as SettingName[]

const rows: readonly SettingRow<unknown>[] = Object.values(settingTable)

/** All variables that have an effect, but those of proxies and certificates. */
export const variableNames = rows
  .flatMap(({ variables = [] }) => variables.map(({ name }) => name))
  .concat('PETSTORE_CONFIG_DIR', 'PETSTORE_JOURNAL_DIR')
