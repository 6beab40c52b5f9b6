import type { AnyCommand } from '../commands/declare.ts'
import { listLimits } from '../model/pets.ts'
import { dataOptions, sortOptions } from './option-habits.ts'
import { commandName } from './tree.ts'

export const noOperation = 'the service has no such operation'
const upgrades = 'how petstore was installed decides how it is upgraded (docs/install.md)'

/**
 * Why a command or an option does not exist that people look for: the end of the message, whatever
 * the hint is. If it has an equivalent, that is a row of habits.
 */
interface Absence {
  readonly reason: string
  /** A word, a word behind its group, or two words. */
  readonly typed: readonly string[]
  /** Only if no other word follows. */
  readonly isAlone?: true
}

export const absences: readonly Absence[] = [
  {
    reason: noOperation,
    typed: [
      // They are no misspelled words for `get`, `add` and `watch`.
      ...inGroup('pets', ['set', 'upsert', 'patch']),
      ...['delete', 'remove', 'rm', 'edit', 'sell', 'buy', 'adopt', 'return', 'patch', 'move'],
    ],
  },
  {
    reason: 'the service has only pets and messages, and a category is only a number',
    typed: [
      ...['category', 'categories', 'owner', 'owners', 'user', 'users', 'customer', 'customers'],
      ...['inventory', 'store inventory', 'product', 'products', 'tag', 'tags'],
    ],
  },
  {
    reason:
      "the local service does not implement orders; 'petstore api GET /store/orders' asks the service",
    typed: ['orders', 'order', 'store', 'stores'],
  },
  {
    reason: upgrades,
    typed: ['update', 'upgrade', 'install', 'self-update'],
    isAlone: true,
  },
  {
    reason: `${noOperation}; it lists at most ${listLimits.maximum} pets`,
    typed: ['--page', '--offset', '--skip', '--cursor', '--page-token', '--after'],
  },
  {
    reason: `${noOperation}; --jq 'sort_by(.name)' sorts the pets that it lists`,
    typed: sortOptions,
  },
  {
    reason: "--jq 'sort_by(.name) | reverse' sorts the other way round",
    typed: ['--reverse', '--desc', '--descending'],
  },
  {
    reason:
      "'petstore env unset local' deletes the local data, and 'petstore config path' says where everything else is",
    typed: ['reset', 'clean', 'purge', 'wipe', 'config reset', 'config clear', 'uninstall'],
  },
  {
    reason: 'there are API keys, and no user names',
    typed: inGroup('auth login', ['-u', '--user', '--username', '--email', '-p']),
  },
  {
    reason: 'a new pet has only a name, a category ID and a status',
    typed: inGroup('pets add', ['--id', '--tag', '--tags', '--photo', '--photos', '--photo-urls']),
  },
  {
    reason: '--status, --name and --category-id narrow the list',
    typed: inGroup('pets list', ['--tag', '--tags', '--type', '--owner']),
  },
  {
    reason: 'the service knows no idempotency keys; an import of one row adds it at most once',
    typed: inGroup('pets add', ['--idempotency-key', '--request-id', '--if-not-exists']),
  },
  {
    reason: 'an import continues after a row that fails, and --rejects keeps such rows',
    typed: inGroup('pets import', ['--ignore-errors', '--skip-errors', '--continue-on-error']),
  },
  {
    reason: 'the header decides whether commas, semicolons or tabs separate the fields',
    typed: inGroup('pets import', ['--separator', '--delimiter', '--sep']),
  },
  {
    reason: "the first line must be the header, with 'name' and 'categoryId'",
    typed: inGroup('pets import', ['--skip-header', '--no-header']),
  },
  {
    reason: "'-' as the text reads standard input",
    typed: inGroup('messages send', ['--file', '-f']),
  },
  {
    reason: "'>' after the command writes its output to a file",
    typed: ['--save', '--output-file', '--outfile'],
  },
  {
    reason: "Ctrl-C or SIGTERM ends 'petstore serve'",
    typed: ['stop', 'shutdown'],
  },
  {
    reason: '--until takes a jq expression',
    typed: inGroup('pets list', ['--for']),
  },
  {
    reason: '--jq takes a jq expression, and --fields names of fields',
    typed: [
      ...['--template', '--jsonpath', 'jsonpath', 'go-template', 'custom-columns', 'wide'],
      ...['pets list --query', 'pets get --query'],
    ],
  },
  {
    reason: 'only tsv is printed without a header',
    typed: ['--no-header', '--no-headers', '--noheader', '--noheaders'],
  },
  {
    reason: 'a message has only a text',
    typed: inGroup('messages send', ['--to', '--from', '--subject', '--channel', '--phone']),
  },
  {
    reason: "the service runs until a signal; '&' after the command starts it in the background",
    typed: inGroup('serve', ['-d', '--detach', '--daemon', '--background']),
  },
  {
    reason: 'doctor changes nothing; each problem that it finds has a command',
    typed: inGroup('doctor', ['--fix', '--repair']),
  },
  {
    reason: 'fields are given with -F, and a body with --file (--file - reads standard input)',
    typed: inGroup('api', dataOptions),
  },
  {
    reason: 'for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL',
    typed: ['--base-url', '--messages-url', '--url'],
  },
]

function inGroup(group: string, words: readonly string[]): string[] {
  return words.map((word) => `${group} ${word}`)
}

/** Why a command or an option does not exist; undefined if nothing is known about it. */
export function reasonAgainst(command: AnyCommand, word: string, next = ''): string | undefined {
  const typed = word.toLowerCase()
  const path = `${commandName(command)} ${typed}`.trim()
  const phrase = `${path} ${next.toLowerCase()}`
  const own = absences.find((absence) => {
    const isMeant = absence.typed.includes(phrase) || absence.typed.includes(path)
    return isMeant && !(absence.isAlone && next !== '')
  })
  if (own !== undefined || !typed.startsWith('-')) return own?.reason
  return reasonAgainstWord(typed)
}

/** The same for a value: `-o jsonpath={.name}`. */
export function reasonAgainstValue(value: string): string | undefined {
  const [name = ''] = value.toLowerCase().split('=', 1)
  return reasonAgainstWord(name)
}

function reasonAgainstWord(word: string): string | undefined {
  return absences.find((absence) => absence.typed.includes(word))?.reason
}
