import { type Import, isInsideFunction, type Node, type SourceFile } from './imports.ts'

/** Looks at the whole program and says, a line each, what does not belong in the house. */
export type HouseRule = (sources: readonly SourceFile[]) => string[]

/** From the door to the cellar: a file knows what lies below it, and never looks up. */
const floors = [
  ['bin'],
  ['main'],
  ['cli'],
  ['commands'],
  ['context'],
  ['import', 'watch', 'config', 'output', 'input', 'service', 'api'],
  ['interruption', 'crash', 'files'],
  ['failure', 'host'],
]

/** What parts on one floor may know of each other; everything else goes through the context. */
const neighbours: Readonly<Record<string, RegExp>> = {
  service: /^src\/api\/(schema|model|json|exchange)\.ts$/,
  import: /^src\/api\/(client|model|json|schema|new-pet|retry|retry-after)\.ts$/,
  config: /^src\/api\/(endpoint|json|model|proxy)\.ts$/,
  watch: /^src\/(api\/(json|model)|output\/(board|columns))\.ts$/,
  output: /^src\/api\/(exchange|json|model|observed)\.ts$/,
}

/** The parts that come from elsewhere, and the only files that know them. */
const homes: Readonly<Record<string, RegExp>> = {
  '@clack/prompts': /^src\/(input|output)\//,
  '@commander-js/extra-typings': /^src\/(cli|commands)\//,
  chalk: /^src\/output\//,
  commander: /^src\/(cli|commands)\//,
  conf: /^src\/config\/store\.ts$/,
  'csv-parse': /^src\/import\//,
  'csv-stringify': /^src\/(output|import)\//,
  'jq-wasm': /^src\/output\//,
  libsql: /^src\/service\/database\.ts$/,
  'lossless-json': /^src\/api\/json[^/]*\.ts$/,
  'string-width': /^src\/output\//,
  undici: /^src\/api\/transport[^/]*\.ts$/,
  zod: /^src\/(api|config|service|import)\//,
}

/** What costs more to load than `--help` may take. */
const heavy = ['@clack/prompts', 'chalk', 'conf', 'csv-parse', 'csv-stringify', 'jq-wasm', 'libsql', 'undici', 'zod']

/** `src/api/client.ts` is in `api`, `src/main.ts` is `main`. */
function partOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second.replace(/\.ts$/, '') : top
}

/** `csv-stringify/sync` is of `csv-stringify`; node's own modules and files of ours are of no package. */
function packageOf({ specifier, target }: Import): string | undefined {
  if (target !== undefined || specifier.startsWith('node:') || specifier === '(computed)') return undefined
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

const eachFile =
  (look: (file: SourceFile) => string[]): HouseRule =>
  (sources) =>
    sources.flatMap((file) => look(file).map((finding) => `${file.path} ${finding}`))

const eachImport = (look: (path: string, found: Import) => string | undefined): HouseRule =>
  eachFile(({ path, imports }) => imports.flatMap((found) => look(path, found) ?? []))

const onlyDownwards = eachImport((path, { target, specifier }) => {
  if (target === undefined || target === 'package.json') return undefined
  const [from, to] = [partOf(path), partOf(target)]
  const [fromFloor, toFloor] = [from, to].map((part) => floors.findIndex((floor) => floor.includes(part)))
  if (fromFloor === undefined || toFloor === undefined || fromFloor < 0 || toFloor < 0)
    return `or ${target} has no floor`
  if (from === to || fromFloor < toFloor) return undefined
  return neighbours[from]?.test(target) && fromFloor === toFloor ? undefined : `must not know ${specifier}`
})

const eachPackageInItsHome = eachImport((path, found) => {
  const name = packageOf(found)
  if (name === undefined) return undefined
  const home = homes[name]
  if (home === undefined) return `imports ${name}, which has no home`
  return home.test(path) ? undefined : `must not know ${name}`
})

/** The launcher loads what the bundler has named. */
const loader = 'bin/code-cache.js'

const namedByItsFile = eachImport((path, { specifier }) =>
  specifier === '(computed)' && path !== loader ? 'imports what nobody can read from the source' : undefined,
)

/** Follows what is loaded before the first command runs. */
const lightStart: HouseRule = (sources) => {
  const files = new Map(sources.map((file) => [file.path, file]))
  const loaded = new Set<string>()
  const findings: string[] = []
  const load = (path: string) => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const found of files.get(path)?.imports ?? []) {
      if (found.isType || found.isLate) continue
      const name = packageOf(found)
      if (name !== undefined && heavy.includes(name)) findings.push(`${path} loads ${name} at every start`)
      if (found.target !== undefined) load(found.target)
    }
  }
  load('src/main.ts')
  return findings
}

const noCircles: HouseRule = (sources) => {
  const files = new Map(sources.map((file) => [file.path, file]))
  const done = new Set<string>()
  const walk = (path: string, way: readonly string[]): string[] => {
    if (way.includes(path)) return [`${[...way.slice(way.indexOf(path)), path].join(' → ')} is a circle`]
    if (done.has(path)) return []
    const targets = (files.get(path)?.imports ?? []).filter(({ isType, isLate }) => !isType && !isLate)
    const findings = targets.flatMap(({ target }) => (target === undefined ? [] : walk(target, [...way, path])))
    done.add(path)
    return findings
  }
  return sources.flatMap(({ path }) => walk(path, []))
}

const processAtTheDoor = eachFile(({ path, nodes, imports }) => {
  if (partOf(path) === 'bin') return []
  const exits = nodes.filter((node) => isMember(node, 'process', 'exit')).map(() => 'calls process.exit')
  if (path === 'src/host.ts') return exits
  const globals = nodes.filter(isProcess).map(() => 'knows the process')
  const modules = imports
    .filter(({ specifier }) => /^(node:)?process$/.test(specifier))
    .map(() => 'imports the process')
  return [...exits, ...globals, ...modules]
})

/** `process` as a value, and `globalThis.process`; not a field or a key of that name. */
function isProcess(node: Node): boolean {
  if (node.type !== 'Identifier' || node.name !== 'process') return false
  const { parent } = node
  if (parent === undefined) return true
  if (isMember(parent, 'globalThis', 'process')) return true
  const isField = isNamed(parent.property, 'process') && !isNamed(parent.object, 'process') && parent.computed !== true
  const isKey = isNamed(parent.key, 'process') && parent.shorthand !== true && parent.computed !== true
  const isKeyOfValue = isKey && !isNamed(parent.value, 'process')
  return !isField && !isKeyOfValue
}

function isMember(node: Node, object: string, property: string): boolean {
  return node.type === 'MemberExpression' && isNamed(node.object, object) && isNamed(node.property, property)
}

function isNamed(value: unknown, name: string): boolean {
  const node = value as Node | null | undefined
  return node?.type === 'Identifier' && node.name === name
}

const noStateInModules = eachFile(({ nodes }) =>
  nodes
    .filter((node) => node.type === 'VariableDeclaration' && !isInsideFunction(node) && !isInLoop(node))
    .flatMap((node) => {
      if (node.kind !== 'const') return [`keeps state: a ${node.kind} at module level`]
      return (node.declarations as Node[])
        .filter(({ init }) => isEmptyCollection(init as Node | null))
        .map(() => 'keeps state: an empty collection at module level')
    }),
)

function isInLoop(node: Node): boolean {
  return node.parent?.type.startsWith('For') ?? false
}

/** A collection that begins empty is there to be filled. */
function isEmptyCollection(init: Node | null): boolean {
  if (init === null) return false
  if (init.type === 'ArrayExpression') return (init.elements as Node[]).length === 0
  if (init.type === 'ObjectExpression') return (init.properties as Node[]).length === 0
  return (
    init.type === 'NewExpression' &&
    /^(Weak)?(Map|Set)$/.test(String((init.callee as Node).name)) &&
    (init.arguments as Node[]).length === 0
  )
}

const noDrawers = eachFile(({ path }) =>
  /\/(utils?|lib|common|helpers?|misc|shared)(\/|\.ts$)/.test(path) ? ['is in a drawer for everything'] : [],
)

const noLongFiles = eachFile(({ text }) => {
  const lines = text.trimEnd().split('\n').length
  return lines > 300 ? [`has ${lines} lines; 300 are enough for one concept`] : []
})

/** The house, by what each rule holds. */
export const houseRules = {
  'a file knows what lies below it': onlyDownwards,
  'each package is known in its home alone': eachPackageInItsHome,
  'every import can be read from the source': namedByItsFile,
  'the start loads nothing heavy': lightStart,
  'nothing imports itself by a detour': noCircles,
  'the process is known to the host and the bin': processAtTheDoor,
  'no state at module level': noStateInModules,
  'no drawers for everything': noDrawers,
  'no file is longer than one concept': noLongFiles,
} satisfies Record<string, HouseRule>
