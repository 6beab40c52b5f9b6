import type { AnyCommand } from '../commands/declare.ts'
import { commandName } from './tree.ts'

/**
 * Names that people know from other programs, and petstore's names for them. The suggestions for
 * mistakes come from these tables and from the distance between words. `|` separates words that
 * mean the same.
 */

/** The words at the beginning of a command line. */
export const commands = byWords({
  'login|signin': 'auth login',
  'logout|signout': 'auth logout',
  'whoami|status': 'auth status',
  'version|ver': '--version',
  'list|ls|list pets|get pets|show pets': 'pets list',
  'get|show|view|get pet|show pet': 'pets get',
  'add|create|new|add pet|create pet|new pet': 'pets add',
  'import|upload|import pets': 'pets import',
  'export|dump|export pets': 'pets list --limit 100 --json',
  watch: 'pets list --watch',
  'send|msg|send message': 'messages send',
  'envs|environment|environments|profile|profiles': 'env',
  'settings|preferences|configure': 'config',
  'server|start|run|mock': 'serve',
  'check|diagnose|health|ping': 'doctor',

  'pets show|view|read|fetch|find|inspect|describe|info': 'pets get',
  'pets create|new|insert|post|put': 'pets add',
  'pets all|index|search|filter': 'pets list',
  'pets count': 'pets list --limit 100 --jq length',
  'pets export|dump': 'pets list --limit 100 --json',
  'pets upload|load|bulk': 'pets import',
  'messages create|post|new|add|write|say': 'messages send',
  'env add|create|new': 'env set',
  'env delete|remove|rm': 'env unset',
  'env switch|select|change|activate': 'env use',
  'env show|get|status|current': 'env list',
  'env local': 'env use local',
  'auth signin|add|set|set-key': 'auth login',
  'auth show|check|list|ls|whoami': 'auth status',
  'auth key|print': 'auth token',
  'config show|ls|view|all': 'config list',
  'config get api-key|key|token': 'auth token',
  'config set api-key|key|token': 'auth login',
  'config set env|environment': 'env use',
  'config set base-url|url': 'env set ENVIRONMENT --base-url',
})

const noOperation = 'the service has no such operation'

/** Why something does not exist that people look for; it has no equivalent either. */
export const absent = byWords({
  'pets update|edit|change|patch|delete|remove|rm': noOperation,
  'messages list|ls|get|show|read|view|delete|remove|rm|edit|update': noOperation,
  'delete|remove|rm|edit|update': noOperation,
  'upgrade|install|self-update': 'npm installs new versions of this program',
  '--page|--offset|--skip|--cursor': `${noOperation}; it lists at most 100 pets`,
  '--sort|--sort-by|--order|--order-by': `${noOperation}; --jq 'sort_by(.name)' sorts the pets that it lists`,
  'api -d|--data|--body': 'fields are given with -F, and a body with --file',
  '--base-url|--messages-url|--url':
    'for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL',
})

/** Why a command or an option does not exist; undefined if nothing is known about it. */
export const reasonAgainst = (command: AnyCommand, word: string) => lookUp(absent, command, word)

/**
 * Options of other programs. One without a value is left out; the value of a second word replaces
 * the typed one.
 */
const options = byWords({
  'pets get --id': '',
  'pets import --file|--input|-f|-i': '',
  'messages send -m|--message|--text|--body': '',
  'api -x|--request|--method': '',
  '--format|--output-format|--out': '--output',
  '--environment|--profile|--stage': '--env',
  '--local': '--env local',
  '--csv': '--output csv',
  '--max|--count|-n|-l': '--limit',
  'pets list --all': '--limit 100',
  'pets list --filter|--where': '',
  '--follow|-w': '--watch',
  '--state|-s': '--status',
  '--category': '--category-id',
  'auth login --url': '--base-url',
  'pets add --data|--body|-d': '--file -',
  'pets import --parallel|--jobs|--workers|-j': '--concurrency',
  'pets import --resume|--continue': '',
  'api --query|--param|--params': '--field',
  '--query': '--jq',
})

/** The option that another program's option probably means. */
export const optionFor = (command: AnyCommand, flag: string) => lookUp(options, command, flag)

/**
 * Options that other programs have for a key. petstore has none, and the value must not be shown.
 */
export const keyOptions = [
  '--api-key',
  '--apikey',
  '--key',
  '--token',
  '--auth',
  '--password',
  '--secret',
  '--bearer',
]

/** An entry for the command itself, or for any command. */
function lookUp(
  table: ReadonlyMap<string, string>,
  command: AnyCommand,
  word: string,
): string | undefined {
  const typed = word.toLowerCase()
  const own = table.get(`${commandName(command)} ${typed}`.trim())
  return own ?? (typed.startsWith('-') ? table.get(typed) : undefined)
}

/** `pets update|edit` stands for `pets update` and `pets edit`. */
function byWords(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([typed, meant]) => {
      const [first = '', ...others] = typed.split('|')
      const beginning = first.slice(0, first.lastIndexOf(' ') + 1)
      return [first, ...others.map((word) => beginning + word)].map(
        (words) => [words, meant] as const,
      )
    }),
  )
}
