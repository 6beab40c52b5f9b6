import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorCode } from '../../src/system/errno.ts'
import { binPath, cleanEnvironment } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { solutions } from './eval-solutions.ts'
import { freePort } from './network/servers.ts'

interface Task {
  readonly id: number
  readonly prompt: string
  readonly setup: readonly string[]
  readonly check: readonly string[]
}

const { evals: tasks }: { evals: readonly Task[] } = JSON.parse(
  readFileSync(new URL('../../skills/petstore/evals.json', import.meta.url), 'utf8')
)

/** The result of these is the agent's answer. Their checks find that nothing else has changed. */
const askedOnly = [1, 7, 11]

/** Runs the lines in a home of their own, and then each check. The result is the failed check. */
async function failedCheck({ setup, check }: Task, solution: string): Promise<string | undefined> {
  const home = temporaryDirectory()
  const programs = join(home, 'programs')
  mkdirSync(programs)
  symlinkSync(binPath, join(programs, 'petstore'))
  const checks = check.map((line, index) => `(\n${line}\n) || { echo ${index} > failed; exit; }`)
  const script = [...setup, solution, ...checks].join('\n')
  const shell = spawn('bash', ['-c', await withFreePorts(script)], {
    cwd: home,
    env: { ...cleanEnvironment(home), PATH: `${programs}:${process.env.PATH}` },
    stdio: 'ignore',
    // A group of its own, so that the services that it starts end with it.
    detached: true
  })
  await once(shell, 'exit')
  endGroup(shell.pid as number)
  const failed = join(home, 'failed')
  return existsSync(failed) ? check[Number(readFileSync(failed, 'utf8'))] : undefined
}

/** The ports in the tasks are for one run at a time. */
async function withFreePorts(script: string): Promise<string> {
  let result = script
  for (const port of new Set(script.match(/\b47\d\d\b/g)))
    result = result.replaceAll(port, String(await freePort()))
  return result
}

function endGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL')
  } catch (error) {
    // All its processes have ended.
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

describe.concurrent('each task for agents', () => {
  test.each(tasks)('$id: its check passes after the reference solution', async task => {
    const solution = solutions[task.id]
    expect(solution).toBeDefined()
    expect(await failedCheck(task, solution ?? '')).toBeUndefined()
  })

  const doable = tasks.filter(({ id }) => !askedOnly.includes(id))
  test.each(doable)('$id: its check fails if nothing was done', async task => {
    expect(await failedCheck(task, '')).toBeDefined()
  })
})
