import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startServing } from '../support/serving.ts'
import { cleanEnvironment, programWords } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const docs = fileURLToPath(new URL('../../docs/scripting.md', import.meta.url))

/** The commands of the job for a site, behind the one that installs petstore. */
function scriptFor(site: string): string {
  const section = readFileSync(docs, 'utf8').split(`## A nightly import on ${site}\n`)[1] ?? ''
  const [, job = ''] = /^```yaml\n(.*?)^```/ms.exec(section) ?? []
  const lines = [...job.matchAll(/^ +- (?:run: )?((?:ls|petstore) .*)$/gm)].map(([, line]) => line)
  return lines.join('\n').replace('$[[ inputs.decision ]]', '$DECISION')
}

const namesTo = (count: number) => Array.from({ length: count }, (_, index) => `pet ${index}`)

test.each(['GitHub', 'GitLab'])(
  '%s: three nights, in one of which the machine dies, and each pet is there once',
  async site => {
    const key = 'sk_test_12345678'
    const options = ['--empty', '--latency', '20']
    const { reach, fetch } = await startServing(options, { env: { PETSTORE_API_KEY: key } })
    const names = async () => {
      const pets = (await (await fetch('/v1/pets?limit=100')).json()) as { name: string }[]
      return pets.map(({ name }) => name)
    }
    const cache = join(temporaryDirectory(), 'cache')

    /** A night on an empty machine; the cache alone outlives it, if the machine does not die. */
    async function night(count: number, source = 'schedule', diesAt = Number.POSITIVE_INFINITY) {
      const workspace = temporaryDirectory()
      const [programs, journals] = [join(workspace, 'programs'), join(workspace, 'journals')]
      mkdirSync(programs)
      const program = `#!/bin/sh\nexec ${programWords} "$@"\n`
      writeFileSync(join(programs, 'petstore'), program, { mode: 0o755 })
      if (existsSync(cache)) cpSync(cache, journals, { recursive: true })
      const rows = namesTo(count).map(name => `${name},5\n`)
      writeFileSync(join(workspace, 'pets.csv'), `name,categoryId\n${rows.join('')}`)
      const env = cleanEnvironment(temporaryDirectory(), {
        CI: 'true',
        CI_PIPELINE_SOURCE: source,
        GITHUB_EVENT_NAME: source === 'web' ? 'workflow_dispatch' : source,
        PATH: `${programs}:${process.env.PATH}`,
        PETSTORE_API_KEY: key,
        PETSTORE_JOURNAL_DIR: journals
      })
      const words = ['-ec', scriptFor(site).replace('https://HOST/v1', reach.url)]
      const job = spawn('bash', words, { cwd: workspace, env, stdio: 'ignore', detached: true })
      const ended = once(job, 'close')
      while (job.exitCode === null && Number.isFinite(diesAt)) {
        if ((await names()).length < diesAt) continue
        process.kill(-(job.pid ?? 0), 'SIGKILL')
        break
      }
      const [code] = await ended
      if (code === 0) cpSync(journals, cache, { recursive: true })
      return [code, (await names()).length]
    }

    expect(await night(30)).toEqual([1, 0])
    expect(await night(30, 'web')).toEqual([0, 30])
    expect(await night(80, 'schedule', 50)).toEqual([null, expect.any(Number)])
    expect(await night(80)).toEqual([0, 80])
    expect(await night(90)).toEqual([0, 90])
    expect((await names()).sort()).toEqual(namesTo(90).sort())
  }
)
