import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Before which line of a file the code of the example belongs; elsewhere it comes last. */
const places: Readonly<Record<string, RegExp>> = {
  'src/client/operations.ts': /^ {2}sendMessage:/m,
  'src/service/routes.ts': /^ {2}route\(/m,
  'src/service/tables.ts': /^ {2}addMessage\(/m
}

/** Each block of code, with the file that is named before it. */
function exampleParts() {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  return [...page.matchAll(/```ts\n(.*?)```/gs)].map(({ 1: code = '', index }) => {
    const files = page.slice(0, index).match(/(?<=`)(?:src|test)\/\S+\.ts(?=`)/g)
    return { code, file: files?.at(-1) ?? '' }
  })
}

test('the command that CONTRIBUTING adds compiles', () => {
  const clone = temporaryDirectory()
  for (const name of readdirSync(root)) {
    const isChanged = name === 'src' || name === 'test'
    if (isChanged) cpSync(join(root, name), join(clone, name), { recursive: true })
    else symlinkSync(join(root, name), join(clone, name))
  }
  const parts = exampleParts()
  expect(parts).toHaveLength(5)
  for (const { file, code } of parts) {
    const path = join(clone, file)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const place = places[file] ? text.search(places[file]) : text.length
    writeFileSync(path, text.slice(0, place) + code + text.slice(place))
  }
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler], {
    cwd: clone,
    encoding: 'utf8'
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})
