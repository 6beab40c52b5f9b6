import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Certificates, makeCertificates } from '../../support/certificates.ts'

type CertificateName = Exclude<keyof Certificates, 'authorityPath'>

interface PemFiles {
  readonly directory: string
  readonly authority: string
  /** A certificate and its key in one file. */
  withKey(name: CertificateName): string
}

/**
 * Certificate files for servers, made once for all tests of a file. They exist while its tests run.
 */
export function createPemFiles(): PemFiles {
  let made: { directory: string; certificates: Certificates } | undefined
  const get = () => {
    if (made === undefined) throw new Error('the certificates exist only while a test runs')
    return made
  }
  beforeAll(() => {
    const directory = mkdtempSync(join(tmpdir(), 'petstore-certificates-'))
    made = { directory, certificates: makeCertificates(directory) }
  })
  afterAll(() => rmSync(get().directory, { recursive: true }))
  return {
    get directory() {
      return get().directory
    },
    get authority() {
      return get().certificates.authorityPath
    },
    withKey: name => {
      const { cert, key } = get().certificates[name]
      const path = join(get().directory, `${name}-with-key.pem`)
      writeFileSync(path, cert + key)
      return path
    }
  }
}
