import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readBytes, readText } from '../../src/system/read-input.ts'
import { hostWith } from '../settings/host.ts'
import { temporaryDirectory } from '../support/temp.ts'

const interruption = new AbortController()
const run = { host: hostWith({}), interruption }

test('a file is read whole, as bytes or as text', async () => {
  const path = join(temporaryDirectory(), 'pets')
  writeFileSync(path, 'é'.repeat(100_000))
  expect(await readBytes(run, path)).toHaveLength(200_000)
  expect(await readText(run, path)).toBe('é'.repeat(100_000))
})

test.each([
  ['missing', 'cannot be read: no such file or directory'],
  ['', 'cannot be read: illegal operation on a directory'],
  ['bytes', 'is not UTF-8 text']
])('%j is a usage error with its name: %s', async (name, problem) => {
  const path = join(temporaryDirectory(), name)
  if (name === 'bytes') writeFileSync(path, Buffer.from([0x61, 0xff]))
  const reading = readText(run, path)
  await expect(reading).rejects.toMatchObject({ code: 'usage', message: `${path} ${problem}` })
})

test('an input without end is refused as soon as it is too large', async () => {
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(65_536))
    }
  })
  const message = 'standard input is larger than 64 MiB'
  const reading = readBytes({ host: { ...hostWith({}), stdin: endless }, interruption }, '-')
  await expect(reading).rejects.toMatchObject({ code: 'usage', message })
})
