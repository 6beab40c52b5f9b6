import { createRequire } from 'node:module'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { lean, replacements } from '../../build/lean.js'

const bundleOf = async (library: string, plugin = lean()) => {
  const entry = '\0entry'
  const build = await rolldown({
    input: entry,
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: id => (id === entry ? id : undefined),
        load: id => (id === entry ? `export * from '${entries[library]}'` : undefined)
      },
      plugin
    ]
  })
  const { output } = await build.generate({ format: 'cjs' })
  await build.close()
  return output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
}

/** The imports of the program from each library. */
const entries: Record<string, string> = {
  commander: 'commander',
  conf: 'conf',
  undici: 'undici/lib/dispatcher/agent.js'
}

test.each(Object.keys(entries))('%s is bundled without the replaced modules', async library => {
  const modules = await bundleOf(library)
  for (const { imports } of replacements.filter(one => one.library === library)) {
    expect(modules.filter(id => !id.startsWith('\0') && imports.test(id))).toEqual([])
  }
})

test.each(replacements)(
  'the build fails if a library no longer needs its replacement: $library, $imports',
  async one => {
    const gone = { ...one, imports: /^no-longer-imported$/ }
    const wanted = replacements.map(other => (other === one ? gone : other))
    await expect(bundleOf(one.library, lean(wanted))).rejects.toThrow(
      `${one.library} no longer imports ${gone.imports}`
    )
  }
)

test('a call of an absent module fails and names it', async () => {
  const { load } = lean()
  const source = load('\0lean:absent:conf:atomically')
  const module: { exports: () => void } = { exports: () => {} }
  new Function('module', source ?? '')(module)
  expect(module.exports).toThrow('atomically of conf was left out of this build')
})

test('a module with only some exports has their values', () => {
  const path = 'undici/lib/llhttp/constants.js'
  const module = { exports: {} }
  new Function('module', lean().load(`\0lean:only:TYPE,ERROR:${path}`) ?? '')(module)
  const { TYPE, ERROR } = createRequire(import.meta.url)(path)
  expect(module.exports).toEqual({ TYPE, ERROR })
  expect(ERROR.PAUSED).toBeGreaterThan(0)
  expect(() => lean().load(`\0lean:only:TYPE,GONE:${path}`)).toThrow(
    `${path} no longer exports GONE`
  )
})
