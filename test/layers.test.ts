import { describe, expect, test } from 'vitest'
import { type Import, parseSource, readSources, type SourceFile } from './support/imports.ts'

/** From top to bottom: a file imports only from the layers below its own. Biome rejects cycles within a layer. */
const layers = [
  ['bin'],
  ['main'],
  ['cli'],
  ['commands'],
  ['context'],
  ['import', 'output', 'settings', 'service', 'client'],
  ['model'],
  ['platform'],
  ['failure'],
]

/** The imports that are allowed between modules of one layer. */
const neighbors: Readonly<Record<string, RegExp>> = {
  import: /^src\/client\//,
  settings: /^src\/output\/formats\.ts$/,
}

/** Each library, and the only files that import it. */
const homes: Readonly<Record<string, RegExp>> = {
  '@clack/prompts': /^src\/output\/prompt\.ts$/,
  '@photostructure/sqlite': /^src\/platform\/sqlite\.ts$/,
  '@commander-js/extra-typings': /^src\/(cli|commands)\//,
  chalk: /^src\/output\//,
  conf: /^src\/settings\/store\.ts$/,
  'csv-parse': /^src\/import\//,
  'csv-stringify': /^src\/output\//,
  'jq-wasm': /^src\/output\/jq\.ts$/,
  'lossless-json': /^src\/model\/json\.ts$/,
  'string-width': /^src\/output\//,
  undici: /^src\/client\/transport[^/]*\.ts$/,
  zod: /^src\/(model|settings|service|client)\//,
}

describe('every import', () => {
  test('points to a lower layer', () => {
    expect(upwardImports(readSources())).toEqual([])
  })

  test('of a library is in a file that may import it', () => {
    expect(strayLibraries(readSources())).toEqual([])
  })
})

const violations = [
  ['a layer above', upwardImports, 'src/client/client.ts', "import type { Context } from '../context.ts'"],
  [
    'a dynamic import of a layer above',
    upwardImports,
    'src/client/a.ts',
    "const late = () => import('../cli/program.ts')",
  ],
  ['a neighbor', upwardImports, 'src/service/handler.ts', "import { x } from '../client/client.ts'"],
  ['a folder without a layer', upwardImports, 'src/elsewhere/a.ts', "import { x } from '../failure.ts'"],
  [
    'a library in a file that may not import it',
    strayLibraries,
    'src/commands/api.ts',
    "import { request } from 'undici'",
  ],
  ['a library that no file may import', strayLibraries, 'src/output/left.ts', "import pad from 'left-pad'"],
] as const

test.each(violations)('%s is found', (_, rule, path, text) => {
  expect(rule([parseSource(path, text)])).toHaveLength(1)
})

function upwardImports(sources: readonly SourceFile[]): string[] {
  return eachImport(sources, (path, { target }) => {
    if (target === undefined || target === 'package.json' || isText(target)) return false
    const [from, to] = [moduleOf(path), moduleOf(target)]
    const [fromLayer, toLayer] = [layerOf(from), layerOf(to)]
    if (from === to) return false
    if (fromLayer === toLayer && fromLayer >= 0) return !neighbors[from]?.test(target)
    return fromLayer < 0 || toLayer < fromLayer
  })
}

function strayLibraries(sources: readonly SourceFile[]): string[] {
  return eachImport(sources, (path, found) => {
    const name = packageOf(found)
    return name !== undefined && !homes[name]?.test(path)
  })
}

function eachImport(sources: readonly SourceFile[], isWrong: (path: string, found: Import) => boolean): string[] {
  return sources.flatMap(({ path, imports }) =>
    imports.filter((found) => isWrong(path, found)).map(({ specifier }) => `${path} imports ${specifier}`),
  )
}

/** `src/client/client.ts` is in `client`, `src/main.ts` is `main`. */
function moduleOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second.replace(/\.ts$/, '') : top
}

/** Prose and shell scripts, which the build loads as text. */
const isText = (path: string) => /^(skills|completions)\/|\.md$/.test(path)

const layerOf = (name: string) => layers.findIndex((layer) => layer.includes(name))

function packageOf({ specifier, target }: Import): string | undefined {
  if (target !== undefined || specifier.startsWith('node:') || specifier === '(computed)') return undefined
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
