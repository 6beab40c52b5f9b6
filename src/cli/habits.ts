/** What people and agents type by habit, and what they mean: plain data for `matchHabits`. */
export interface Habit {
  /** Where it stands, such as `pets list`; empty for the top, undefined for every command. */
  readonly command?: string
  /**
   * The words that are typed there, as a regular expression in which a space ends a word. If it
   * begins with a dash, they may stand anywhere; otherwise they are the first behind the command.
   */
  readonly typed: string
  /** What takes their place, with the groups of `typed` as `$1` and `$2`. */
  readonly meant?: string
  /** The message, where the usual one would not help. */
  readonly reason?: string
  /** `meant` takes the place of the command too. */
  readonly isCommand?: true
  /** All words behind the command are one text. */
  readonly isOneText?: true
}

const noKey = 'no argument and no option takes an API key: petstore auth login asks for it'
const noJson = 'JSON comes from a file, or from standard input with --file -'
const anyName = '(.*\\p{L}.*)'

export const habits: readonly Habit[] = [
  // Secrets come first, so that nothing repeats them.
  {
    typed: '--(?:api-?key|token|password)(?: .+)?',
    meant: 'auth login',
    reason: noKey,
    isCommand: true
  },
  { command: 'auth login', typed: '.+', meant: 'auth login', reason: noKey, isCommand: true },
  { command: 'login', typed: '.+', meant: 'login', reason: noKey, isCommand: true },

  { command: 'pets list', typed: '(available|pending|sold)', meant: '--status $1' },
  { command: 'pets list', typed: '([a-zA-Z]+(?:,[a-zA-Z]+)+)', meant: '--fields $1' },
  { command: 'pets list', typed: '([.[].*|length)', meant: '--jq $1' },
  { command: 'pets list', typed: anyName, meant: '--name $1' },
  { command: 'pets list', typed: '--count', meant: '--jq length' },
  { command: 'pets list', typed: '--all', meant: '--limit 100' },
  { command: 'pets list', typed: '--sort(?:-by)? (\\w+)', meant: '--jq sort_by(.$1)' },
  { command: 'pets list', typed: '--filter (status|name) (.+)', meant: '--$1 $2' },
  {
    command: 'pets list',
    typed: '--(?:page|offset).*',
    reason: 'the service has no pages: it lists the first 100 pets'
  },

  { command: 'pets get', typed: anyName, meant: 'pets list --name $1', isCommand: true },
  { command: 'pets', typed: '(?:find|search) (.+)', meant: 'list --name $1' },
  { command: 'pets', typed: 'count', meant: 'list --jq length' },
  { command: 'pets', typed: 'export', meant: 'list --output csv' },
  { command: 'pets', typed: 'watch', meant: 'list --watch' },
  { command: 'pets', typed: '(available|pending|sold)', meant: 'list --status $1' },
  { command: 'pets', typed: 'delete|remove|rm', reason: 'the service cannot delete pets' },
  { command: 'pets', typed: 'update|edit|patch', reason: 'the service cannot change pets' },

  { command: 'pets add', typed: '(.+) (\\d+)', meant: '--name $1 --category-id $2' },
  { command: 'pets add', typed: '(?:--data|-d) .+', meant: '--file -', reason: noJson },
  { command: 'pets import', typed: '(?:--file|-f) (.+)', meant: '$1' },
  { command: 'pets import', typed: '--dry-run', meant: '--check' },

  { typed: '--category (.+)', meant: '--category-id $1' },
  { typed: '--format (.+)', meant: '--output $1' },
  { typed: '--(local|staging|production)', meant: '--env $1' },

  { command: 'config set', typed: 'env (.+)', meant: 'env use $1', isCommand: true },
  {
    command: 'config set',
    typed: 'base-url (.+)',
    meant: 'auth login --base-url $1',
    reason: 'a base URL belongs to an environment and its API key',
    isCommand: true
  },
  { command: 'env', typed: 'add (.+) --base-url (.+)', meant: 'set $1 --base-url $2' },
  { command: 'env', typed: 'add (.+)', meant: 'set $1 --base-url https://HOST/v1' },

  { command: 'api', typed: '(pets.*)', meant: '/$1' },
  { command: 'api', typed: '([a-zA-Z]+) (pets.*)', meant: '$1 /$2' },
  { command: 'api', typed: '(?:--data|-d) .+', meant: '--file -', reason: noJson },

  { command: 'messages send', typed: '.+ .+', meant: '$1', isOneText: true },
  { command: 'messages', typed: 'list|get', reason: 'the service cannot list messages' },

  { command: '', typed: '(list|get|add|import|find|count|export)', meant: 'pets $1' },
  { command: '', typed: 'send', meant: 'messages send' },
  { command: '', typed: 'init|setup', meant: 'auth login' },
  { command: '', typed: 'version', meant: '--version' },
  { command: '', typed: 'agents?', meant: 'help agents' },
  { command: '', typed: 'orders?|store', reason: 'the service has only pets and messages' },
  {
    command: '',
    typed: 'update|upgrade',
    reason: 'petstore does not update itself: update it as it was installed'
  }
]
