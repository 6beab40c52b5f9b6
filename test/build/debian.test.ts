import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { debianPackage } from '../../build/debian.js'
import manifest from '../../package.json' with { type: 'json' }
import { needs } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/**
 * A package around a small program instead of the executable, which takes a minute to build and to
 * compress.
 */
function packed(): string {
  const directory = temporaryDirectory()
  copyFileSync('/bin/true', join(directory, 'petstore'))
  writeFileSync(join(directory, 'third-party-notices.txt'), 'the notices\n')
  writeFileSync(join(directory, 'bill-of-materials.json'), '{}\n')
  return debianPackage(directory)
}

const dpkgDeb = (...argv: string[]) => execFileSync('dpkg-deb', argv, { encoding: 'utf8' })

needs('dpkg-deb')('the Debian package', () => {
  test('has each file where the system looks for it, owned by root', () => {
    const directory = temporaryDirectory()
    const path = packed()
    const entries = dpkgDeb('--contents', path).trimEnd().split('\n')
    expect(
      entries.filter(entry => !/^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /.test(entry))
    ).toEqual([])
    const files = entries
      .filter(entry => entry.startsWith('-'))
      .map(entry => entry.replace(/.* \./, ''))
    expect(files).toEqual([
      '/usr/bin/petstore',
      '/usr/share/bash-completion/completions/petstore',
      '/usr/share/doc/petstore/bill-of-materials.json',
      '/usr/share/doc/petstore/changelog.gz',
      '/usr/share/doc/petstore/copyright',
      '/usr/share/fish/vendor_completions.d/petstore.fish',
      '/usr/share/lintian/overrides/petstore',
      '/usr/share/man/man1/petstore.1.gz',
      '/usr/share/zsh/vendor-completions/_petstore'
    ])
    dpkgDeb('--extract', path, directory)
    const share = join(directory, 'usr/share')
    expect(gunzipSync(readFileSync(join(share, 'man/man1/petstore.1.gz'))).toString()).toBe(
      read('man/petstore.1')
    )
    const copyright = readFileSync(join(share, 'doc/petstore/copyright'), 'utf8')
    expect(copyright).toContain(read('LICENSE'))
    expect(copyright).toContain('the notices')
    const changelog = gunzipSync(readFileSync(join(share, 'doc/petstore/changelog.gz'))).toString()
    expect(changelog).toMatch(
      /^petstore \(\d+\.\d+\.\d+\) stable; urgency=medium\n\n {2}[[*] .*\n\n -- .+ <.+@.+> {2}\w{3}, \d\d \w{3} \d{4} 00:00:00 \+0000\n$/s
    )
  })

  test('has the version, the architecture and the maintainer', () => {
    const fields = dpkgDeb('--field', packed()).trimEnd().split('\n')
    const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()
    for (const field of [
      'Package: petstore',
      `Version: ${manifest.version}`,
      `Architecture: ${architecture}`,
      `Maintainer: ${manifest.author}`
    ]) {
      expect(fields).toContain(field)
    }
    expect(fields.join('\n')).toMatch(
      /^Depends: libc6 \(>= 2\.\d+\), libgcc-s1, libstdc\+\+6, libatomic1$/m
    )
    expect(fields.join('\n')).toMatch(/^Installed-Size: \d+$/m)
  })

  test('is the same each time', () => {
    expect(readFileSync(packed())).toEqual(readFileSync(packed()))
  })
})
