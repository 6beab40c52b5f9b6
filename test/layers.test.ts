import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/**
 * From top to bottom: a file imports only from the layers below its own. Biome rejects cycles
 * within a layer.
 */
const layers = [
  ['bin'],
  ['main'],
  ['cli'],
  ['commands'],
  ['context'],
  ['import', 'output', 'settings', 'service', 'client'],
  ['model'],
  ['platform'],
  ['failure']
]

/** The imports that are allowed between modules of one layer. */
const neighbors: Readonly<Record<string, RegExp>> = {
  import: /^src\/client\//,
  settings: /^src\/output\/(formats|view)\.ts$/
}

/** Each library, and the only files that import it. */
const homes: Readonly<Record<string, RegExp>> = {
  '@photostructure/sqlite': /^src\/platform\/sqlite\.ts$/,
  '@commander-js/extra-typings': /^src\/(cli|commands)\//,
  chalk: /^src\/output\//,
  conf: /^src\/settings\/config-file\.ts$/,
  leven: /^src\/cli\/spelling\.ts$/,
  'jq-wasm': /^src\/output\/jq\.ts$/,
  'lossless-json': /^src\/model\/json\.ts$/,
  'string-width': /^src\/output\//,
  undici: /^src\/client\/transport[^/]*\.ts$/,
  zod: /^src\/(model|settings|service|client)\//
}

describe('every import', () => {
  const imports = readImports()

  test('points to a lower layer', () => {
    expect(upwardImports(imports)).toEqual([])
  })

  test('of a library is in a file that may import it', () => {
    expect(strayLibraries(imports)).toEqual([])
  })
})

const violations = [
  [
    'a dynamic import of a layer above',
    upwardImports,
    'src/client/a.ts',
    "const late = () => import('../cli/program.ts')"
  ],
  [
    'a neighbor',
    upwardImports,
    'src/service/handler.ts',
    "import { x } from '../client/client.ts'"
  ],
  [
    'a library that no file may import',
    strayLibraries,
    'src/output/left.ts',
    "import pad from 'left-pad'"
  ]
] as const

test.each(violations)('%s is found', (_, rule, path, text) => {
  expect(rule(importsIn(path, text))).toHaveLength(1)
})

interface Import {
  /** Relative to the root of the project: `src/client/client.ts`. */
  readonly path: string
  /** As written: `../failure.ts`, `undici`, `node:fs`. */
  readonly specifier: string
  /** The path of a file of this project; undefined for packages. */
  readonly target: string | undefined
}

/** The imports of every file of the program. */
function readImports(): Import[] {
  const root = fileURLToPath(new URL('..', import.meta.url))
  return ['src', 'bin'].flatMap(folder =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.[jt]s$/.test(name))
      .flatMap(name =>
        importsIn(`${folder}/${name}`, readFileSync(`${root}${folder}/${name}`, 'utf8'))
      )
  )
}

/** Types included, at the top or inside a function. The formatter leaves one way to write them. */
function importsIn(path: string, text: string): Import[] {
  const code = text.replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '')
  const specifiers = [
    ...code.matchAll(/(?:\bfrom |\bimport |\bimport\(|\brequire\()'([^'\n]+)'/g)
  ].map(([, name = '']) => name)
  return specifiers.map(specifier => ({
    path,
    specifier,
    target: resolveTarget(path, specifier)
  }))
}

function resolveTarget(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(from), specifier)
  // The bin requires what is built from the sources.
  return target === 'dist/main.cjs' ? 'src/main.ts' : target
}

function upwardImports(imports: readonly Import[]): string[] {
  return describeWrong(imports, ({ path, target }) => {
    if (target === undefined || target === 'package.json' || isText(target)) return false
    const [from, to] = [moduleOf(path), moduleOf(target)]
    const [fromLayer, toLayer] = [layerOf(from), layerOf(to)]
    if (from === to) return false
    if (fromLayer === toLayer && fromLayer >= 0) return !neighbors[from]?.test(target)
    return fromLayer < 0 || toLayer < fromLayer
  })
}

function strayLibraries(imports: readonly Import[]): string[] {
  return describeWrong(imports, found => {
    const name = packageOf(found)
    return name !== undefined && !homes[name]?.test(found.path)
  })
}

function describeWrong(imports: readonly Import[], isWrong: (found: Import) => boolean): string[] {
  return imports.filter(isWrong).map(({ path, specifier }) => `${path} imports ${specifier}`)
}

/** `src/client/client.ts` is in `client`, `src/main.ts` is `main`. */
function moduleOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second.replace(/\.ts$/, '') : top
}

/** Prose and shell scripts, which the build loads as text. */
const isText = (path: string) => /^(skills|completions)\/|\.md$/.test(path)

const layerOf = (name: string) => layers.findIndex(layer => layer.includes(name))

function packageOf({ specifier, target }: Import): string | undefined {
  if (target !== undefined || specifier.startsWith('node:')) return undefined
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
