/**
 * `npm test`: all checks that a commit must pass, the fastest ones first. Arguments select steps by name.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { closingLine, countTests, skippedNames } from './closing-line.js'
import { root } from './dist.js'

const scratch = mkdtempSync(join(tmpdir(), 'petstore-check-'))
const reportPath = join(scratch, 'report.json')

/** @type {ReadonlyArray<readonly [name: string, command: string, ...rest: string[]]>} */
const steps = [
  ['format', 'biome', 'format', '.'],
  ['lint', 'biome', 'check', '--formatter-enabled=false', '--error-on-warnings', '.'],
  ['types', 'tsc', '--noEmit'],
  ['dead-code', 'knip', '--no-progress', '--treat-config-hints-as-errors'],
  ['build', 'node', 'build/prepare.js'],
  ['tests', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`],
]

try {
  const wanted = process.argv.slice(2)
  const failed = steps
    .filter(([name]) => wanted.length === 0 || wanted.includes(name))
    .find(([name, command, ...rest]) => !succeeds(name, command, rest))
  if (failed !== undefined) {
    console.log(`\n── ${failed[0]} failed ──\n`)
    process.exitCode = 1
  }
  if (wanted.length === 0 || wanted.includes('tests')) {
    const report = readReport()
    for (const name of skippedNames(report)) console.log(`skipped: ${name}`)
    console.log(closingLine(countTests(report)))
  }
} finally {
  rmSync(scratch, { recursive: true })
}

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} rest
 */
function succeeds(name, command, rest) {
  console.log(`\n── ${name} ──\n`)
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
