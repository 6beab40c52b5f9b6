/**
 * Names that people know from other programs, and petstore's names for them. The suggestions for mistakes come from
 * these tables and from the distance between words. `|` separates words that mean the same.
 */

/** The words at the beginning of a command line. */
export const commands = byWords({
  'login|signin|log-in': 'auth login',
  'logout|signout|log-out': 'auth logout',
  'whoami|status': 'auth status',
  token: 'auth token',
  'version|ver': '--version',
  'man|manual|usage|?': 'help',
  'list|ls': 'pets list',
  'get|show|view': 'pets get',
  'add|create|new': 'pets add',
  'import|upload': 'pets import',
  watch: 'pets list --watch',
  'send|msg': 'messages send',
  'use|switch': 'env use',
  'envs|environment|environments|profile|profiles': 'env',
  'settings|preferences|configure': 'config',
  'server|start|run|mock': 'serve',
  'curl|request|http': 'api',
  'check|diagnose': 'doctor',
  'completions|autocomplete': 'completion',
  'schema|describe': 'commands',

  'pets show|view|read|fetch|find|inspect|describe|info': 'pets get',
  'pets create|new|insert|post|put': 'pets add',
  'pets all|index|search|filter': 'pets list',
  'pets watch': 'pets list --watch',
  'pets upload|load|bulk': 'pets import',
  'messages create|post|new|add|write|say': 'messages send',
  'env add|create|new': 'env set',
  'env delete|remove|rm': 'env unset',
  'env switch|select|change|activate': 'env use',
  'env show|get|status': 'env list',
  'env local': 'env use local',
  'env staging': 'env use staging',
  'env production|prod': 'env use production',
  'auth signin|log-in|add': 'auth login',
  'auth signout|log-out|remove|delete|rm': 'auth logout',
  'auth show|check|list|ls|whoami': 'auth status',
  'auth key|print': 'auth token',
  'config show|ls|view|all': 'config list',
  'config add|change|write': 'config set',
  'config remove|delete|rm|reset': 'config unset',
  'config read|print': 'config get',
  'config edit|file|where': 'config path',
  'config get api-key|key|token': 'auth token',
  'config set api-key|key|token': 'auth login',
  'config unset api-key|key|token': 'auth logout',
  'config get env|environment|base-url|messages-url': 'env list',
  'config set env|environment': 'env use',
})

/** petstore has no equivalent for these, and they are not the text of a message. */
export const unsupported: ReadonlySet<string> = new Set(
  [
    'pets update|edit|change|delete|remove|rm',
    'messages list|ls|get|show|read|view|delete|remove|rm|edit|update',
    'update|upgrade|install|delete|remove|rm|edit',
  ].flatMap(spelledOut),
)

/** Options of other programs. An option of one with a value means an option with the same value. */
export const options = byWords({
  '--format': '--output',
  '--environment|--profile|--stage': '--env',
  '--local': '--env local',
  '--staging': '--env staging',
  '--production|--prod': '--env production',
  '--ndjson|--jsonl': '--output ndjson',
  '--csv': '--output csv',
  '--tsv': '--output tsv',
  '--table': '--output table',
  '--silent': '--quiet',
  '--debug': '--verbose',
  '--max|--count|-n|-l': '--limit',
  '--follow|-w': '--watch',
  '--state|-s': '--status',
  '--category': '--category-id',
  '--url': '--base-url',
  '--force|-y|-f': '--yes',
  '--non-interactive|--batch': '--no-input',
  '-p': '--port',
  '--db|--database': '--data',
  '--query': '--jq',
  '--columns': '--fields',
})

/** Options of other programs for what is an argument here. */
export const optionsForArguments: Readonly<Record<string, readonly string[]>> = {
  'pets get': ['--id'],
  'messages send': ['-m', '--message', '--text', '--body'],
  api: ['-X', '--request', '--method'],
}

/** Options that other programs have for a key. petstore has none, and the value must not be shown. */
export const keyOptions = ['--api-key', '--apikey', '--key', '--token', '--auth', '--password', '--secret', '--bearer']

/** Values of options and arguments with choices, and names of settings and fields. */
export const values = byWords({
  'text|human|pretty|plain': 'table',
  'jsonl|jsonlines|json-lines': 'ndjson',
  'on|yes|true|1': 'always',
  'off|no|false|0': 'never',
  'for-sale|free|active': 'available',
  sh: 'bash',
  'format|out': 'output',
  'retry|max-retries': 'retries',
  'colors|colour|colours': 'color',
  'category|category-id|category_id': 'categoryId',
})

export const topics = byWords({
  'errors|error|faults|failures|codes|exit|exit-code|status': 'exit-codes',
  'flags|global|globals|shared': 'options',
  'variables|environments|vars|urls|url|proxy|proxies': 'environment',
  'output|json|csv|tsv|ndjson|table|jq|fields|filters': 'formats',
  'imports|journal|resume': 'import',
  'keys|key|secrets|api-key|tls': 'security',
  'agent|skill|ai|llm': 'agents',
})

/** Options that a stray word can belong to, in the order in which they are tried. */
export const optionsForOperands: Readonly<Record<string, readonly string[]>> = {
  'pets list': ['--status', '--limit'],
  'pets add': ['--file', '--category-id', '--status', '--name'],
  'env set': ['--base-url'],
  'auth login': ['--base-url'],
  api: ['--raw-field'],
  serve: ['--port'],
}

function byWords(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([typed, meant]) => spelledOut(typed).map((words) => [words, meant])))
}

/** `pets update|edit` as `pets update` and `pets edit`. */
function spelledOut(typed: string): string[] {
  const words = typed.split(' ')
  const last = words.pop() ?? ''
  return last.split('|').map((word) => [...words, word].join(' '))
}
