import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { bundle } from '../../build/bundle.js'
import manifest from '../../package.json' with { type: 'json' }

const files = await bundle()
const bill = JSON.parse(String(files.get('bill-of-materials.json')))

test('the bill of materials is valid by the schema of CycloneDX 1.6', () => {
  const schemas = new URL(
    '../../node_modules/@cyclonedx/cyclonedx-library/res/schema/',
    import.meta.url
  )
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, schemas), 'utf8'))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json']) {
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}`)
  }
  const isValid = ajv.compile(read('bom-1.6.SNAPSHOT.schema.json'))
  expect(isValid(bill), JSON.stringify(isValid.errors)).toBe(true)
  expect(isValid({ ...bill, components: [{ name: 'x' }] })).toBe(false)
})

test('it names every package of the notices, and the parts compiled into them', () => {
  const notices = String(files.get('third-party-notices.txt'))
  const inNotices = [...notices.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(.+\)$/gm)].map(
    ([, name, version]) => `${name} ${version}`
  )
  const components: {
    name: string
    version: string
    scope?: string
    components?: { name: string }[]
  }[] = bill.components
  const inside = components.filter(({ scope }) => scope !== 'optional')
  expect(inside.map(({ name, version }) => `${name} ${version}`)).toEqual(inNotices)
  expect(inNotices.length).toBeGreaterThan(10)
  expect(components.find(({ name }) => name === 'undici')?.components).toEqual([
    { type: 'library', name: 'llhttp' }
  ])
  expect(bill.metadata.component.name).toBe(manifest.name)
})

test('it names as optional what npm installs with the program', () => {
  const optional: { name: string; scope?: string }[] = bill.components.filter(
    ({ scope }: { scope?: string }) => scope === 'optional'
  )
  const names = optional.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.optionalDependencies)))
  expect(names).not.toContain('vitest')
})
