import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  watch,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs, withOwnMounts, withOwnPids } from '../support/needs.ts'
import { binPath, cleanEnvironment, nodePath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_canary_of_torture'
const addressOf = (environment: string) => `https://${environment}.example/v1`

/** A command line that saves a base URL for the environment. */
const set = (environment: string) => [
  nodePath,
  binPath,
  'env',
  'set',
  environment,
  '--base-url',
  addressOf(environment)
]

needs('unshare', 'a PID namespace')('in containers that share the config directory', () => {
  test('50 concurrent programs, some of them killed, lose no setting of the others', async () => {
    const directory = temporaryDirectory()
    const names = Array.from({ length: 50 }, (_, index) => `e${index}`)
    const codes = await Promise.all(
      names.map((name, index) => {
        const killAfter = index % 3 === 0 ? 100 + 40 * index : undefined
        return run([...withOwnPids, ...set(name)], directory, killAfter)
      })
    )
    const succeeded = names.filter((_, index) => codes[index] === 0)
    const { environments = {} } = savedIn(directory)
    expect(succeeded.length).toBeGreaterThanOrEqual(33)
    expect(succeeded.filter(name => environments[name] === undefined)).toEqual([])
    expect(await run(set('last'), directory)).toBe(0)
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.json.lock.db'])
  })
})

test('100 kills during a write leave a complete file and, after the next write, no other file with the key', async () => {
  const directory = temporaryDirectory()
  // Large, so that writing it takes some time.
  save(directory, { environments: { first: { apiKey: key } }, later: 'x'.repeat(8_000_000) })
  let hits = 0
  for (let round = 0; round < 100; round += 1) {
    if (await killInMidWrite(directory, (round % 6) * 1_500_000)) hits += 1
    expect(savedIn(directory).environments?.first?.apiKey).toBe(key)
  }
  expect(await run(set('last'), directory)).toBe(0)
  expect(othersWithKey(directory)).toEqual([])
  // One round in six kills as soon as the file exists. Without a hit, the test proves nothing.
  expect(hits).toBeGreaterThan(0)
})

const fullDisks: [what: string, place: { setUp: string; limit?: string }][] = [
  ['on a disk with one page left, a short write', { setUp: 'small_disk 1' }],
  ['under a file size limit (ulimit -f)', { setUp: 'copy_in', limit: 'ulimit -f 8' }],
  ['on a disk with nothing left', { setUp: 'small_disk 0' }]
]

needs('unshare', 'a mount namespace')('without room on the disk', () => {
  test.each(fullDisks)('%s: exits with 9, and the file is intact', async (_what, place) => {
    expect(await writeIn(place)).toEqual({ code: 9, intact: true, others: [] })
  })
})

/** Resolves with the exit code, or -1 after a kill. */
function run(command: readonly string[], directory: string, killAfter?: number): Promise<number> {
  const [file = '', ...rest] = command
  return new Promise(resolve => {
    const child = execFile(file, rest, { cwd: '/', env: environmentOf(directory) }, () =>
      resolve(child.exitCode ?? -1)
    )
    if (killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter)
  })
}

/** Kills the program when its temporary file has reached that size. */
async function killInMidWrite(directory: string, threshold: number): Promise<boolean> {
  const [file = '', ...rest] = set(`killed${threshold}`)
  const before = readFileSync(join(directory, 'config.json'))
  const watcher = watch(directory)
  const child = spawn(file, rest, { cwd: '/', env: environmentOf(directory), stdio: 'ignore' })
  const ended = once(child, 'exit')
  const begun = new Promise<string>(resolve => {
    watcher.on('change', (_event, name) => {
      if (String(name).includes('tmp')) resolve(join(directory, String(name)))
    })
  })
  const begunFile = await Promise.race([ended.then(() => undefined), begun])
  // No pause between checks, because the write takes only a few milliseconds.
  while (begunFile !== undefined && sizeOf(begunFile) < threshold);
  child.kill('SIGKILL')
  await ended
  watcher.close()
  return readFileSync(join(directory, 'config.json')).equals(before)
}

/** Infinity if the file has been renamed. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY
}

const functions = `
set -eu
place=$1 results=$2
shift 2
copy_in() { cp "$results/config.json" "$place/config.json"; }
small_disk() {
  mount -t tmpfs -o size=256k,mode=700 tmpfs "$place"
  copy_in
  head -c $(( $1 * 4096 )) /dev/zero > "$place/reserve"
  cat /dev/zero > "$place/filler" 2>/dev/null || true
  rm "$place/reserve"
}
`

/** Runs the program in a separate mount, and copies the results out of it. */
async function writeIn({ setUp, limit = 'true' }: { setUp: string; limit?: string }) {
  const [place, results] = [temporaryDirectory(), temporaryDirectory()]
  save(results, { later: 'x'.repeat(20_000), environments: { first: { apiKey: key } } })
  const steps = [
    functions,
    setUp,
    `code=0; (${limit}; "$@") || code=$?`,
    'cp "$place/config.json" "$results/after.json"; ls -A "$place" > "$results/names"; exit $code'
  ]
  const shell = ['bash', '-c', steps.join('\n'), 'bash']
  const code = await run([...withOwnMounts, ...shell, place, results, ...set('more')], place)
  const resultOf = (name: string) => readFileSync(join(results, name), 'utf8')
  const known = ['config.json', 'config.json.lock.db', 'filler', '']
  const others = resultOf('names')
    .split('\n')
    .filter(name => !known.includes(name))
  return { code, intact: resultOf('after.json') === resultOf('config.json'), others }
}

const environmentOf = (directory: string) =>
  cleanEnvironment('/nonexistent', { PETSTORE_CONFIG_DIR: directory })

function save(directory: string, state: object): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'config.json'), `${JSON.stringify(state, undefined, 2)}\n`, {
    mode: 0o600
  })
}

function savedIn(directory: string): {
  environments?: Record<string, { apiKey?: string; baseUrl?: string }>
} {
  const path = join(directory, 'config.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

function othersWithKey(directory: string): string[] {
  return readdirSync(directory).filter(
    name => name !== 'config.json' && readFileSync(join(directory, name), 'utf8').includes(key)
  )
}
