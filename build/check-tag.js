/**
 * Checks that this tag can be released, before anything is built: it names the version, the
 * changelog begins with it, and npm does not have it yet.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle.js'
import { checkTag } from './release-checks.js'

const { GITHUB_REF_NAME: tag = '', GITHUB_RUN_ATTEMPT: attempt = '1' } = process.env
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

checkTag(tag, version, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
// A later attempt of the same workflow run may have to do what comes after publishing.
if (attempt === '1' && publishedVersions().includes(version))
  throw new Error(`npm already has ${name} ${version}: choose another version`)
console.log(`${name} ${version} can be released`)

/** @returns {readonly string[]} */
function publishedVersions() {
  const { stdout, stderr } = spawnSync('npm', ['view', name, 'versions', '--json'], {
    encoding: 'utf8'
  })
  /** @type {string | readonly string[] | { error: { code: string } }} */
  const answer = stdout === '' ? { error: { code: stderr } } : JSON.parse(stdout)
  if (typeof answer === 'string') return [answer]
  if (!('error' in answer)) return answer
  if (answer.error.code === 'E404') return []
  throw new Error(`npm cannot say which versions it has: ${answer.error.code}`)
}
