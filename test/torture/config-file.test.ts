import { readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs, withOwnPids } from '../support/needs.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_canary_of_torture'
const set = (environment: string) => [
  ...['env', 'set', environment],
  ...['--base-url', 'https://pets.example/v1']
]
const at = (directory: string) => ({ env: { PETSTORE_CONFIG_DIR: directory } })
const textIn = (directory: string, name = 'config.json') =>
  readFileSync(join(directory, name), 'utf8')
const environmentsIn = (directory: string) => JSON.parse(textIn(directory)).environments

needs('unshare', 'a PID namespace')('in containers that share the config directory', () => {
  test('50 concurrent programs, some of them killed, lose no setting of the others', async () => {
    const directory = temporaryDirectory()
    const names = Array.from({ length: 50 }, (_, index) => `e${index}`)
    const runs = names.map((name, index) => {
      const running = startCli(set(name), { ...at(directory), under: withOwnPids })
      if (index % 3 === 0) setTimeout(() => running.child.kill('SIGKILL'), 100 + 40 * index)
      return running.finished
    })
    const ends = await Promise.all(runs)
    const succeeded = names.filter((_, index) => ends[index]?.code === 0)
    expect(succeeded.length).toBeGreaterThanOrEqual(33)
    expect(Object.keys(environmentsIn(directory))).toEqual(expect.arrayContaining(succeeded))
    expect((await spawnCli(set('last'), at(directory))).code).toBe(0)
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.json.lock.db'])
  })
})

test('100 kills during a write leave a complete file and, after the next write, no other file with the key', async () => {
  const directory = temporaryDirectory()
  // Large, so that writing it takes some time.
  const state = { environments: { first: { apiKey: key } }, later: 'x'.repeat(8_000_000) }
  writeFileSync(join(directory, 'config.json'), JSON.stringify(state), { mode: 0o600 })
  let hits = 0
  for (let round = 0; round < 100; round += 1) {
    if (await killInMidWrite(directory, (round % 6) * 1_500_000)) hits += 1
    expect(environmentsIn(directory).first.apiKey).toBe(key)
  }
  expect((await spawnCli(set('last'), at(directory))).code).toBe(0)
  const withKey = readdirSync(directory).filter(name => textIn(directory, name).includes(key))
  expect(withKey).toEqual(['config.json'])
  // One round in six kills as soon as the file exists. Without a hit, the test proves nothing.
  expect(hits).toBeGreaterThan(0)
})

/** Kills the program when its temporary file has reached that size. */
async function killInMidWrite(directory: string, threshold: number): Promise<boolean> {
  const before = textIn(directory)
  const watcher = watch(directory)
  const { child, finished } = startCli(set(`killed${threshold}`), at(directory))
  const begun = new Promise<string>(resolve => {
    watcher.on('change', (_event, name) => {
      if (String(name).includes('tmp')) resolve(join(directory, String(name)))
    })
  })
  const begunFile = await Promise.race([finished.then(() => undefined), begun])
  // No pause between checks, because the write takes only a few milliseconds.
  while (begunFile !== undefined && sizeOf(begunFile) < threshold);
  child.kill('SIGKILL')
  await finished
  watcher.close()
  return textIn(directory) === before
}

/** Infinity if the file has been renamed. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY
}
