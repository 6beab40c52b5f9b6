import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectoryOf } from './lean.js'

/**
 * The licences of everything that is inside the bundle, which most of them want to be handed on with it.
 *
 * @param {Iterable<string>} modules the files in the bundle
 */
export function thirdPartyNotices(modules) {
  const directories = new Set([...modules].map(packageDirectoryOf).filter((directory) => directory !== undefined))
  const notices = [...directories].sort().map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    return `${name} ${version} (${license})\n\n${licenseText(directory)}`
  })
  return `petstore-cli contains these parts.\n${notices.map((notice) => `\n${'-'.repeat(80)}\n${notice}`).join('')}`
}

/** @param {string} directory */
function licenseText(directory) {
  const file = readdirSync(directory).find((name) => /^licen[cs]e(\.(md|txt))?$/i.test(name))
  if (file === undefined) throw new Error(`${directory} has no licence that could be handed on`)
  return `${readFileSync(join(directory, file), 'utf8').trim()}\n`
}
