import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The parts that are compiled into the WebAssembly and native code of packages, whose own licenses
 * do not cover them. The texts are in `licenses/`, as published by the projects.
 *
 * @type {Readonly<Record<string, readonly { name: string, license: string }[]>>}
 */
export const compiledParts = {
  'jq-wasm': [
    { name: 'jq 1.8.2, with decNumber and other parts', license: 'jq.txt' },
    { name: 'Oniguruma', license: 'oniguruma.txt' },
    { name: 'Emscripten', license: 'emscripten.txt' },
    { name: 'musl', license: 'musl.txt' }
  ],
  undici: [{ name: 'llhttp', license: 'llhttp.txt' }],
  '@photostructure/sqlite': [
    {
      name: 'parts of Node and SQLite (which is in the public domain)',
      license: 'node-sqlite.txt'
    },
    { name: 'node-addon-api', license: 'node-addon-api.txt' }
  ]
}

/** In the path of a file that is not of this project: the directory of its package. */
const packageDirectory = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

/**
 * The licenses of everything in the bundle, most of which must be distributed with it, and of the
 * native code that npm installs with it.
 *
 * @param {Iterable<string>} modules the files in the bundle
 */
export function thirdPartyNotices(modules) {
  const directories = new Set([...modules].flatMap(path => packageDirectory.exec(path) ?? []))
  return [
    'petstore-cli contains these packages and the parts compiled into them.\n',
    ...[...directories].sort().flatMap(noticesOf),
    'npm installs SQLite for Node 20 with petstore-cli.\n',
    ...partsOf('@photostructure/sqlite')
  ].join(`\n${'-'.repeat(80)}\n`)
}

/** @param {string} directory */
function noticesOf(directory) {
  const { name, version, license } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8')
  )
  return [`${name} ${version} (${license})\n\n${licenseIn(directory)}`, ...partsOf(name)]
}

/** @param {string} packageName */
function partsOf(packageName) {
  return (compiledParts[packageName] ?? []).map(({ name, license }) => {
    const text = readFileSync(new URL(`licenses/${license}`, import.meta.url), 'utf8')
    return `${name}, inside ${packageName}\n\n${text.trim()}\n`
  })
}

/** @param {string} directory */
function licenseIn(directory) {
  const file = readdirSync(directory).find(name => /^licen[cs]e(\.(md|txt))?$/i.test(name))
  if (file === undefined) throw new Error(`${directory} has no license file`)
  return `${readFileSync(join(directory, file), 'utf8').trim()}\n`
}
