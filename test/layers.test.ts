import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/**
 * From top to bottom: a file imports only from the layers below its own. Biome rejects cycles
 * within a layer.
 */
const layers = [
  ['bin'],
  ['main'],
  ['cli'],
  ['commands'],
  ['import'],
  ['session'],
  ['settings', 'terminal'],
  ['output', 'service', 'client'],
  ['model'],
  ['system'],
  ['text', 'failure']
]

/** Each library, and the only files that import it. */
const homes: Readonly<Record<string, RegExp>> = {
  '@photostructure/sqlite': /^src\/system\/sqlite\.ts$/,
  '@commander-js/extra-typings': /^src\/(cli|commands)\//,
  chalk: /^src\/output\//,
  commander: /^src\/cli\//,
  conf: /^src\/settings\/conf\.ts$/,
  'csv-parse': /^src\/import\//,
  'jq-wasm': /^src\/output\/jq\.ts$/,
  leven: /^src\/cli\//,
  'lossless-json': /^src\/text\/json\.ts$/,
  'string-width': /^src\/text\/width\.ts$/,
  undici: /^src\/client\/(transport|proxy-agent)[^/]*\.ts$/,
  zod: /^src\/(model|settings|service|client)\//
}

interface Import {
  /** Relative to the root of the project: `src/client/client.ts`. */
  readonly path: string
  /** A path as well, or the name of a package: `undici`, `node:fs`. */
  readonly target: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const imports = ['src', 'bin'].flatMap(folder =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.[jt]s$/.test(name))
    .map(name => `${folder}/${name}`)
    .flatMap(path => importsIn(path, readFileSync(root + path, 'utf8')))
)

test('every import points to a lower layer', () => {
  expect(imports.filter(pointsUp)).toEqual([])
})

test('every import of a library is in a file that may import it', () => {
  expect(imports.filter(isStray)).toEqual([])
})

test.each([
  ['a layer above', pointsUp, 'src/client/a.ts', "const x = () => import('../cli/b.ts')"],
  ['a neighbor', pointsUp, 'src/service/a.ts', "import { x } from '../client/b.ts'"],
  ['an unknown library', isStray, 'src/output/a.ts', "import pad from 'left-pad'"]
])('%s is found', (_, isWrong, path, text) => {
  expect(importsIn(path, text).filter(isWrong)).toHaveLength(1)
})

/** Types included, at the top or inside a function. The formatter leaves one way to write them. */
function importsIn(path: string, text: string): Import[] {
  const code = text.replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '')
  const found = code.matchAll(/(?:\bfrom |\bimport |\bimport\(|\brequire\()'([^'\n]+)'/g)
  return [...found].map(([, name = '']) => {
    const target = name.startsWith('.') ? posix.join(posix.dirname(path), name) : name
    // What is built from the sources.
    return { path, target: target === 'dist/main.cjs' ? 'src/main.ts' : target }
  })
}

function pointsUp({ path, target }: Import): boolean {
  if (!/^(src|bin)\/.*\.ts$/.test(target) || roomOf(path) === roomOf(target)) return false
  const [from, to] = [layerOf(path), layerOf(target)]
  return to <= from
}

function isStray({ path, target }: Import): boolean {
  if (/^(src|bin|skills|completions)\/|^package\.json$|^node:/.test(target)) return false
  const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/')
  return !homes[name]?.test(path)
}

/** `src/client/client.ts` is in `client`, `src/main.ts` is `main`. */
function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second.replace(/\.ts$/, '') : top
}

function layerOf(path: string): number {
  const layer = layers.findIndex(rooms => rooms.includes(roomOf(path)))
  if (layer < 0) throw new Error(`${path} is in no layer`)
  return layer
}
