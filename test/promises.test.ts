import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const read = (path: string) => readFileSync(`${folder}/${path}`, 'utf8')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path =>
  /\.test\.[jt]s$/.test(path)
)

/** The lines of `promises.md`. */
const rows = read('promises.md')
  .split('\n')
  .filter(line => line.startsWith('- '))
  .map(line => {
    const [, promise = line, file = '', title = ''] = /^- (.+) → `(.+)`: (.+)$/.exec(line) ?? []
    return { promise, file, title }
  })

test('each promise has its test', () => {
  const missing = rows.filter(({ file, title }) => {
    const text = files.includes(file) ? read(file) : ''
    return !["'", '"', '`'].some(quote => text.includes(quote + title + quote))
  })
  expect(missing).toEqual([])
  const promises = rows.map(({ promise }) => promise)
  expect(promises.filter((promise, index) => promises.indexOf(promise) !== index)).toEqual([])
})

test('what SECURITY.md promises is here', () => {
  const table = read('../SECURITY.md').match(/^\| [a-z].+?(?= +\|)/gm) ?? []
  const promises = rows.map(({ promise }) => `| ${promise}`)
  expect(table.length).toBeGreaterThan(10)
  expect(table.slice(1).filter(promise => !promises.includes(promise))).toEqual([])
})

test('each file of tests has a promise', () => {
  const named = new Set(rows.map(({ file }) => file))
  expect(files.filter(file => !named.has(file))).toEqual([])
})
