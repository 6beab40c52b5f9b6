/** `npm test` and others: runs these steps of the check one after the other, up to the first that fails. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { closingLine, countTests, skippedNames } from './closing-line.js'
import { root } from './dist.js'

const scratch = mkdtempSync(join(tmpdir(), 'petstore-check-'))
const reportPath = join(scratch, 'report.json')
const vitest = ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]

/** @type {Readonly<Record<string, readonly string[]>>} */
const steps = {
  format: ['biome', 'format', '.'],
  lint: ['biome', 'check', '--formatter-enabled=false', '--error-on-warnings', '.'],
  types: ['tsc', '--noEmit'],
  'dead-code': ['knip', '--no-progress', '--treat-config-hints-as-errors'],
  build: ['node', 'build/prepare.js'],
  quick: [...vitest, '--config', 'vitest.quick.config.ts'],
  tests: vitest,
}

try {
  const wanted = process.argv.slice(2)
  const failed = wanted.find((name) => !succeeds(name))
  if (failed !== undefined) {
    console.log(`\n── ${failed} failed ──\n`)
    process.exitCode = 1
  }
  if (wanted.includes('tests') || wanted.includes('quick')) {
    const report = readReport()
    for (const name of skippedNames(report)) console.log(`skipped: ${name}`)
    console.log(closingLine(countTests(report)))
  }
} finally {
  rmSync(scratch, { recursive: true })
}

/** @param {string} name */
function succeeds(name) {
  console.log(`\n── ${name} ──\n`)
  const [command = '', ...rest] = steps[name] ?? []
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter)
  const { status, error } = spawnSync(command, rest, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error !== undefined) console.error(error.message)
  return status === 0
}

/** There is no report if an earlier step or vitest itself failed. */
function readReport() {
  try {
    return JSON.parse(readFileSync(reportPath, 'utf8'))
  } catch {
    return undefined
  }
}
