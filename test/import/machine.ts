import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { key } from '../service/running-service.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import type { Row } from './model.ts'
import { expectForeseen, expectTrue, readRun } from './outcomes.ts'
import type { Shelter } from './shelter.ts'

export type Machine = Awaited<ReturnType<typeof openMachine>>

/**
 * A machine that imports files into a shelter, as 'staging'. After each import, its outcomes are
 * compared with the pets at the service.
 */
export async function openMachine(shelter: Shelter) {
  const root = temporaryDirectory()
  const home = join(root, 'home')
  mkdirSync(home)
  const at = (name: string) => join(home, name)

  const machine = {
    variables: { PETSTORE_API_KEY: key } as Readonly<Record<string, string>>,
    /** Whether each import without options is checked first. */
    isChecked: false,
    now: new Date('2026-10-28T10:00:00'),
    at,

    run: (argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) =>
      runCli(argv, {
        home,
        env: { PETSTORE_CONFIG_DIR: at('config'), ...machine.variables },
        now: () => machine.now,
        ...options
      }),

    /** Sets an environment to the service. Returns what is said. */
    async setEnvironment(name: string, url = shelter.url) {
      const keys = shelter.hasKeys ? '--idempotent' : '--not-idempotent'
      const { code, stderr } = await machine.run(['env', 'set', name, '--base-url', url, keys])
      expect({ code, stderr }).toMatchObject({ code: 0 })
      return stderr
    },

    save: (name: string, rows: readonly Row[]) => writeFileSync(at(name), csv(rows)),

    /** Saves the rows in this file, and imports it. */
    imports(name: string, rows: readonly Row[], ...options: readonly string[]) {
      machine.save(name, rows)
      return machine.importsFile(name, rows, ...options)
    },

    pipes: (rows: readonly Row[], ...options: readonly string[]) =>
      machine.importsFile('-', rows, ...options),

    /** Imports a file that has these rows, in whatever form. */
    async importsFile(name: string, rows: readonly Row[], ...options: readonly string[]) {
      const stdin = name === '-' ? csv(rows) : ''
      const argv = line(name === '-' ? name : at(name), options)
      const isChecked = machine.isChecked && options.length === 0
      const preview = isChecked ? await machine.run([...argv, '--check'], { stdin }) : undefined
      const run = readRun(rows, await machine.run([...argv, '-q'], { stdin }))
      expectTrue(run, shelter, options.includes('--skip'))
      if (preview !== undefined) expectForeseen(readRun(rows, preview), run)
      return run
    },

    /**
     * Imports a file, and is killed when the service has got this many pets: from then on, the
     * machine has what was on its disk at that moment.
     */
    async isKilled(
      after: number,
      name: string,
      rows: readonly Row[],
      ...options: readonly string[]
    ) {
      machine.save(name, rows)
      const left = join(root, 'left')
      let isOver = false
      const signal = new Promise<'SIGINT'>(resolve => {
        shelter.stopsAfter(after, () => {
          cpSync(home, left, { recursive: true })
          isOver = true
          resolve('SIGINT')
        })
      })
      await machine.run([...line(at(name), options), '--retries', '0'], { signal })
      shelter.isWell()
      if (!isOver) return
      rmSync(home, { recursive: true })
      renameSync(left, home)
    }
  }
  await machine.setEnvironment('staging')
  return machine
}

function line(path: string, options: readonly string[]) {
  const where = options.includes('--env') ? [] : ['--env', 'staging']
  return ['pets', 'import', path, ...where, ...options]
}

const csv = (rows: readonly Row[]) =>
  ['name,categoryId,status', ...rows.map(row => row.join()), ''].join('\n')
