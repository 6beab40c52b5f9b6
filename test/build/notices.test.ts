import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundle } from '../../build/bundle.js'
import { compiledParts } from '../../build/notices.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const notices = String((await bundle()).get('third-party-notices.txt'))

/** The packages in the bundle and those that npm installs with it. */
function packagesOfUsers(): string[] {
  const inside = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)].map(
    ([, name]) => `node_modules/${name}`
  )
  const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const beside = Object.entries<{ dev?: boolean }>(lockfile.packages).flatMap(([path, entry]) => {
    return path === '' || entry.dev ? [] : [path]
  })
  return [...inside, ...beside]
}

/** WebAssembly and native code; WebAssembly may be Base64 inside JavaScript. */
function hasCompiledCode(directory: string): boolean {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(wasm|node|[cm]?js)$/.test(name))
    .some(
      name => !/js$/.test(name) || readFileSync(join(directory, name), 'latin1').includes('AGFzbQ')
    )
}

const nameOf = (path: string) => path.replace(/^node_modules\//, '')

test('every package with WebAssembly or native code has notices for its compiled parts', () => {
  const installed = packagesOfUsers().filter(path => isInstalled(path))
  const compiled = [
    ...new Set(installed.filter(path => hasCompiledCode(join(root, path))).map(nameOf))
  ]
  expect(compiled.sort()).toEqual(Object.keys(compiledParts).sort())
})

test.each(Object.entries(compiledParts))(
  'the notices contain the licenses of all parts of %s',
  (_, parts) => {
    for (const { name, license } of parts) {
      expect(notices).toContain(`\n${name}, inside `)
      expect(notices).toContain(readFileSync(join(root, 'build/licenses', license), 'utf8').trim())
    }
  }
)

test.each([
  'Copyright (c) 1995-2005 International Business Machines',
  'K.Kosako',
  'Fedor Indutny',
  'Stephen Dolan'
])('the notices mention %s', holder => expect(notices).toContain(holder))

function isInstalled(path: string): boolean {
  try {
    return readdirSync(join(root, path)).length > 0
  } catch {
    return false
  }
}
