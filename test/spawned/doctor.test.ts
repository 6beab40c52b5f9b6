import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

needs('openssl')('petstore doctor', () => {
  test('shows the certificate of a service that speaks TLS', async () => {
    const { url, certificate } = await secureServer()
    const env = { PETSTORE_API_KEY: 'sk_canary', PETSTORE_BASE_URL: url }
    const trusted = await spawnCli(['doctor', '--json'], { env: { ...env, NODE_EXTRA_CA_CERTS: certificate } })
    expect(trusted).toMatchObject({ code: 0, stderr: '' })
    expect(stepIn(trusted.stdout, 'tls')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^TLSv1\.\d, certificate from Made For A Test, valid until .* GMT$/),
    })
    const untrusted = await spawnCli(['doctor', '--json'], { env })
    expect(untrusted.code).toBe(6)
    expect(stepIn(untrusted.stdout, 'tls')).toMatchObject({
      state: 'warning',
      detail: 'failed: DEPTH_ZERO_SELF_SIGNED_CERT',
    })
  })
})

function stepIn(stdout: string, name: string) {
  return JSON.parse(stdout).find(({ check }: { check: string }) => check === name)
}

async function secureServer(): Promise<{ url: string; certificate: string }> {
  const directory = temporaryDirectory()
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const subject = ['-subj', '/O=Made For A Test/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', [...made, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' })

  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) => {
    response.setHeader('content-type', 'application/json').end('[]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, certificate }
}
