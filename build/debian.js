import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { newestSection } from './changelog.js'
import { root } from './dist.js'

/**
 * Makes a Debian package of the standalone executable, with the man page and the completion scripts
 * at the places where man and the shells look for them.
 *
 * @param {string} directory with the executable, its notices and its bill of materials, where the
 *   package is written
 * @returns {string} the path of the package
 */
export function debianPackage(directory) {
  const { version, author, license } = JSON.parse(read('package.json'))
  const changes = newestSection(read('CHANGELOG.md'))
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const stage = mkdtempSync(join(directory, 'debian-'))
  // The package gets the modes of the files, and dpkg-deb refuses others.
  const umask = process.umask(0o022)
  try {
    const add = (/** @type {string} */ path, /** @type {string | Uint8Array} */ content) => {
      mkdirSync(dirname(join(stage, path)), { recursive: true })
      writeFileSync(join(stage, path), content)
    }
    chmodSync(stage, 0o755)
    mkdirSync(join(stage, 'usr/bin'), { recursive: true })
    const executable = join(stage, 'usr/bin/petstore')
    copyFileSync(join(directory, 'petstore'), executable)
    add('usr/share/man/man1/petstore.1.gz', compressed(read('man/petstore.1')))
    add('usr/share/bash-completion/completions/petstore', read('completions/petstore.bash'))
    add('usr/share/zsh/vendor-completions/_petstore', read('completions/_petstore'))
    add('usr/share/fish/vendor_completions.d/petstore.fish', read('completions/petstore.fish'))
    const notices = readFileSync(join(directory, 'third-party-notices.txt'), 'utf8')
    add(
      'usr/share/doc/petstore/copyright',
      `petstore (${license})\n\n${read('LICENSE')}\n${notices}`
    )
    add(
      'usr/share/doc/petstore/bill-of-materials.json',
      readFileSync(join(directory, 'bill-of-materials.json'))
    )
    const end = ` -- ${author}  ${changes.date.toUTCString().replace('GMT', '+0000')}`
    const changelog = `petstore (${version}) stable; urgency=medium\n\n${asDebianList(changes.text)}\n\n${end}\n`
    add('usr/share/doc/petstore/changelog.gz', compressed(changelog))
    add('usr/share/lintian/overrides/petstore', overrides)
    add(
      'DEBIAN/control',
      control({ version, author, architecture, bytes: statSync(executable).size })
    )

    const path = join(directory, `petstore_${version}_${architecture}.deb`)
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(changes.date.getTime() / 1000) }
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', stage, path], {
      env,
      stdio: 'ignore'
    })
    return path
  } finally {
    process.umask(umask)
    rmSync(stage, { recursive: true })
  }
}

/** @param {{ version: string, author: string, architecture: string, bytes: number }} about */
function control({ version, author, architecture, bytes }) {
  /** @type {any} */
  const { header } = process.report.getReport()
  return `Package: petstore
Version: ${version}
Architecture: ${architecture}
Maintainer: ${author}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= ${header.glibcVersionCompiler}), libgcc-s1, libstdc++6, libatomic1
Section: utils
Priority: optional
Description: command-line client for a pet store service
 petstore lists, adds and imports pets, and sends messages. The service itself
 is built in, for trying things out on your own machine.
`
}

/**
 * What lintian does not want: Node contains OpenSSL, and the notices have the whole text of each
 * license.
 */
const overrides = `petstore: embedded-library
petstore: copyright-file-contains-full-apache-2-license
petstore: copyright-not-using-common-license-for-gpl
`

/**
 * The text of a section of the changelog, in Debian's format.
 *
 * @param {string} section
 */
function asDebianList(section) {
  return section
    .replace(/^### (.*)$/gm, '[ $1 ]')
    .replace(/^(?=.)/gm, '  ')
    .replace(/^ {2}- /gm, '  * ')
}

/** @param {string} path */
function read(path) {
  return readFileSync(join(root, path), 'utf8')
}

/** @param {string} text */
function compressed(text) {
  return gzipSync(text, { level: 9 })
}
