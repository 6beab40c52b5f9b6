import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** A test file that starts a process imports one of these. Torture tests take minutes. */
const spawns =
  /from '(node:child_process|rolldown.*|.*\/support\/(spawn-cli|terminal|bundle|example-shell)\.ts)'/

/** The tests that run in one process, and so without a build. */
export const testsWithoutProcesses = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !/^(torture|build)\b/.test(name))
  .map((name) => join('test', name))
  .filter((path) => !spawns.test(readFileSync(path, 'utf8')))

export default defineConfig({ ...config, test: { ...config.test, include: testsWithoutProcesses } })
