import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'

/** A source file, parsed for the tests that check the architecture. */
export interface SourceFile {
  /** Relative to the root of the project: `src/client/client.ts`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
  readonly nodes: readonly Node[]
}

export interface Import {
  /** As written: `../failure.ts`, `undici`, `node:fs`. */
  readonly specifier: string
  /** The path of a file of this project; undefined for packages. */
  readonly target: string | undefined
  /** Types only: the import does not exist at run time. */
  readonly isType: boolean
  /** `import()` and `require()` inside a function: loaded at first use. */
  readonly isLate: boolean
}

/** A node of the syntax tree, with its parent. */
interface Node {
  readonly type: string
  readonly parent: Node | undefined
  readonly [field: string]: unknown
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Every source file of the program. */
export function readSources(): SourceFile[] {
  return ['src', 'bin'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name))
      .sort()
      .map((name) => parseSource(`${folder}/${name}`, readFileSync(`${root}${folder}/${name}`, 'utf8'))),
  )
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const nodes = flatten(program)
  const imports = nodes.flatMap((node) => {
    const found = readImport(node)
    return found === undefined ? [] : [{ ...found, target: resolveTarget(path, found.specifier) }]
  })
  return { path, text, imports, nodes }
}

function readImport(node: Node): Omit<Import, 'target'> | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration': {
      const specifier = literal(node.source)
      return specifier === undefined ? undefined : { specifier, isType: isTypeOnly(node), isLate: false }
    }
    case 'ImportExpression':
      return { specifier: literal(node.source) ?? '(computed)', isType: false, isLate: true }
    case 'TSImportType':
      return { specifier: literal(node.source) ?? '(computed)', isType: true, isLate: false }
    case 'CallExpression': {
      const callee = node.callee as Node
      if (callee.type !== 'Identifier' || callee.name !== 'require') return undefined
      const specifier = literal((node.arguments as Node[])[0]) ?? '(computed)'
      return { specifier, isType: false, isLate: isInsideFunction(node) }
    }
    default:
      return undefined
  }
}

/** `import type { A }`, or `import { type A }`, which is removed at compile time too. */
function isTypeOnly(node: Node): boolean {
  if (node.importKind === 'type' || node.exportKind === 'type') return true
  const names = (node.specifiers ?? []) as Node[]
  return names.length > 0 && names.every((name) => name.importKind === 'type' || name.exportKind === 'type')
}

function isInsideFunction(node: Node): boolean {
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (outer.type.includes('Function')) return true
  }
  return false
}

function literal(value: unknown): string | undefined {
  const node = value as Node | null | undefined
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function resolveTarget(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(from), specifier)
  // The bin requires what is built from the sources.
  return target === 'dist/main.cjs' ? 'src/main.ts' : target
}

function flatten(value: unknown, parent?: Node): Node[] {
  if (Array.isArray(value)) return value.flatMap((item) => flatten(item, parent))
  if (typeof value !== 'object' || value === null || !('type' in value)) return []
  const node = { ...value, parent } as Node
  return [node, ...Object.entries(value).flatMap(([field, child]) => (field === 'parent' ? [] : flatten(child, node)))]
}
