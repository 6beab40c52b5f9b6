import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temp.ts'

interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Certificates {
  /**
   * For NODE_EXTRA_CA_CERTS: the authority of all certificates except `selfSigned` and
   * `unknownAuthority`.
   */
  readonly authorityPath: string
  readonly good: Certificate
  /** For `pets.example`, which only a proxy reaches. */
  readonly named: Certificate
  readonly expired: Certificate
  readonly wrongName: Certificate
  readonly selfSigned: Certificate
  /** Signed by an authority that is not trusted. */
  readonly unknownAuthority: Certificate
}

/**
 * Makes certificates with openssl, by default in a temporary directory. Only for tests inside
 * `needs('openssl')`.
 */
export function makeCertificates(directory = temporaryDirectory()): Certificates {
  const openssl = (line: string) => {
    const options = { cwd: directory, stdio: 'pipe' } as const
    execFileSync('openssl', line.split(' '), options)
  }
  const newKey = (name: string) =>
    `-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${name}.key -subj /CN=${name}`
  const read = (name: string): Certificate => ({
    cert: readFileSync(join(directory, `${name}.pem`), 'utf8'),
    key: readFileSync(join(directory, `${name}.key`), 'utf8')
  })
  const makeSelfSigned = (name: string, more = '') =>
    openssl(`req -x509 ${newKey(name)} -out ${name}.pem -days 3650${more}`)
  const sign = (name: string, authority: string, host: string, days = '3650') => {
    openssl(`req ${newKey(name)} -out ${name}.csr -addext subjectAltName=${host}`)
    const issuer = `-CA ${authority}.pem -CAkey ${authority}.key -CAcreateserial`
    openssl(
      `x509 -req -in ${name}.csr ${issuer} -days ${days} -copy_extensions copy -out ${name}.pem`
    )
    return read(name)
  }

  makeSelfSigned('authority')
  makeSelfSigned('elsewhere')
  makeSelfSigned('alone', ' -addext subjectAltName=IP:127.0.0.1')
  return {
    authorityPath: join(directory, 'authority.pem'),
    good: sign('good', 'authority', 'IP:127.0.0.1,DNS:localhost'),
    named: sign('named', 'authority', 'DNS:pets.example'),
    expired: sign('expired', 'authority', 'IP:127.0.0.1,DNS:localhost', '-1'),
    wrongName: sign('wrong-name', 'authority', 'DNS:other.example'),
    selfSigned: read('alone'),
    unknownAuthority: sign('unknown-authority', 'elsewhere', 'IP:127.0.0.1,DNS:localhost')
  }
}
