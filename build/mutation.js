/**
 * `npm run mutation -- FILE…`: changes the sources in small ways, one at a time, and reports which changes the tests of
 * the file's area do not detect. `--sample N` tries N changes of each file, chosen by `--seed N`. A directory means all
 * its files.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './dist.js'

const stryker = '9.6.1'

/**
 * The tests that run for a change in an area, without those of the built program, which does not contain the change.
 */
const areas = /** @type {const} */ ({
  cli: [
    'test/cli/!(completion-scripts).test.ts',
    'test/build/generated-files.test.ts',
    'test/commands/commands.test.ts',
  ],
  client: [
    'test/client/**/*.test.ts',
    'test/commands/{api,deprecation,dry-run,verbose}.test.ts',
    'test/contract.test.ts',
  ],
  commands: ['test/commands/**/*.test.ts', 'test/exit-codes.test.ts', 'test/cli/tree.test.ts'],
  context: ['test/commands/**/*.test.ts', 'test/exit-codes.test.ts'],
  import: ['test/import/**/*.test.ts', 'test/commands/import.test.ts'],
  model: ['test/model/**/*.test.ts', 'test/commands/{pets,messages}.test.ts'],
  output: ['test/output/**/*.test.ts', 'test/commands/{data-options,doctor,hostile-text,pets,secrets,verbose}.test.ts'],
  platform: ['test/platform/**/*.test.ts', 'test/settings/**/*.test.ts'],
  service: ['test/service/**/*.test.ts', 'test/commands/serve.test.ts', 'test/contract.test.ts'],
  settings: ['test/settings/**/*.test.ts', 'test/commands/{auth,config,doctor,env}.test.ts'],
})

const scratch = mkdtempSync(join(tmpdir(), 'petstore-mutation-'))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
})

try {
  const files = positionals.flatMap(filesAt)
  if (files.length === 0) throw new Error('name the files to change: npm run mutation -- src/output/table.ts')
  const named = [...new Set(files.map(areaOf))]
  const rows = named.map((area) =>
    measure(
      area,
      files.filter((file) => areaOf(file) === area),
    ),
  )
  console.log(`\n${table(rows)}`)
} finally {
  rmSync(scratch, { recursive: true })
}

/** @param {string} path */
function filesAt(path) {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(path, name))
}

/** @param {string} file */
function areaOf(file) {
  const area = /^(?:\.\/)?src\/(\w+)/.exec(file)?.[1]
  if (area === undefined || !(area in areas)) throw new Error(`${file} is not in an area with its own tests`)
  return /** @type {keyof typeof areas} */ (area)
}

/**
 * @param {keyof typeof areas} area
 * @param {string[]} files
 */
function measure(area, files) {
  const report = join(scratch, `${area}.json`)
  const config = join(scratch, `${area}.config.json`)
  writeFileSync(
    config,
    JSON.stringify({
      mutate: files,
      plugins: ['@stryker-mutator/vitest-runner', join(root, 'build', 'mutation-sample.js')],
      testRunner: 'vitest',
      vitest: { configFile: 'vitest.mutation.config.ts' },
      checkers: values.sample === undefined ? [] : ['sample'],
      // Only a copy of a text in a test would detect its change, and such a test proves nothing.
      mutator: { excludedMutations: ['StringLiteral'] },
      // If the file exists, Stryker calls an API that TypeScript 7 does not have.
      tsconfigFile: 'none.json',
      disableTypeChecks: false,
      ignorePatterns: ['bench'],
      tempDirName: join(scratch, 'sandbox'),
      // With a sample, Stryker uses half of the processes to choose it.
      concurrency: values.sample === undefined ? 2 : 4,
      reporters: ['clear-text', 'json'],
      clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
      jsonReporter: { fileName: report },
    }),
  )
  const packages = ['core', 'vitest-runner'].flatMap((name) => ['--package', `@stryker-mutator/${name}@${stryker}`])
  const { status } = spawnSync('npx', ['--yes', ...packages, 'stryker', 'run', config], {
    cwd: root,
    env: {
      ...process.env,
      MUTATION_AREA: area,
      MUTATION_TESTS: areas[area].join('\n'),
      MUTATION_SAMPLE: values.sample,
      MUTATION_SEED: values.seed,
    },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`Stryker failed for src/${area}`)
  return { area, ...countMutants(JSON.parse(readFileSync(report, 'utf8'))) }
}

/** @param {{ files: Record<string, { mutants: { status: string }[] }> }} report */
function countMutants({ files }) {
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const count = (/** @type {string[]} */ ...wanted) => statuses.filter((status) => wanted.includes(status)).length
  return { detected: count('Killed', 'Timeout'), undetected: count('Survived', 'NoCoverage') }
}

/** @param {{ area: string, detected: number, undetected: number }[]} rows */
function table(rows) {
  const sum = (/** @type {'detected' | 'undetected'} */ name) => rows.reduce((total, row) => total + row[name], 0)
  const all = [...rows, { area: 'all', detected: sum('detected'), undetected: sum('undetected') }]
  const lines = all.map(({ area, detected, undetected }) => {
    const changes = detected + undetected
    const score = changes === 0 ? '-' : `${((100 * detected) / changes).toFixed(1)} %`
    return `${area.padEnd(10)}${String(changes).padStart(8)}${String(detected).padStart(9)}${score.padStart(9)}`
  })
  return ['area       changes detected    score', ...lines].join('\n')
}
