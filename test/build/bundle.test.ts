import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { bundle } from '../../build/bundle.js'
import { lean } from '../../build/lean.js'
import { compiledParts } from '../../build/notices.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const notices = String((await bundle()).get('third-party-notices.txt'))

test('a build fails if a library no longer imports what is replaced', async () => {
  const build = await rolldown({ input: join(root, 'src/failure.ts'), plugins: [lean()] })
  await expect(build.generate()).rejects.toThrow(/lean.js is out of date: .*child_process/)
})

test('every package with WebAssembly or native code has notices for its compiled parts', () => {
  const inside = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)].map(([, name]) => name)
  const compiled = [...inside, '@photostructure/sqlite'].filter(name =>
    hasCompiledCode(join(root, 'node_modules', `${name}`))
  )
  expect(compiled.sort()).toEqual(Object.keys(compiledParts).sort())
})

test.each(Object.values(compiledParts).flat())('the notices have the license of $name', part => {
  const license = readFileSync(join(root, 'build/licenses', part.license), 'utf8').trim()
  expect(notices).toContain(`\n${part.name}, inside `)
  expect(notices).toContain(license)
})

/** WebAssembly may be Base64 inside JavaScript. */
function hasCompiledCode(directory: string): boolean {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).some(
    name =>
      /\.(wasm|node)$/.test(name) ||
      (/\.[cm]?js$/.test(name) && readFileSync(join(directory, name), 'latin1').includes('AGFzbQ'))
  )
}
