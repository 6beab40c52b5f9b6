import { join } from 'node:path'
import { build, type OutputChunk } from 'rolldown'
import { expect, test } from 'vitest'

const output = join(import.meta.dirname, '../../src/output/output.ts')

/** The packages that a module loads at once, not at first use. */
async function packagesOf(module: string): Promise<string[]> {
  const built = await build({ input: output, platform: 'node', write: false, logLevel: 'silent' })
  const chunks = built.output.filter((part): part is OutputChunk => part.type === 'chunk')
  const seen = new Set<OutputChunk>()
  const visit = (chunk: OutputChunk | undefined) => {
    if (chunk === undefined || seen.has(chunk)) return
    seen.add(chunk)
    for (const name of chunk.imports) visit(chunks.find(({ fileName }) => fileName === name))
  }
  visit(chunks.find(({ moduleIds }) => moduleIds.some(id => id.endsWith(`src/output/${module}`))))
  expect(seen.size).toBeGreaterThan(0)
  const names = [...seen].flatMap(({ moduleIds }) =>
    moduleIds.map(id => /.*node_modules\/([^/]+)/.exec(id)?.[1])
  )
  return [...new Set(names.filter(name => name !== undefined))].sort()
}

test.each([
  ['output.ts', []],
  ['text-formats.ts', ['lossless-json']]
])('%s loads %j and no more', async (module, packages) => {
  expect(await packagesOf(module)).toEqual(packages)
})

test('a table loads string-width and no chalk', async () => {
  const packages = await packagesOf('table.ts')
  expect(packages).toContain('string-width')
  expect(packages).not.toContain('chalk')
})
