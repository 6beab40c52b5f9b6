import { createSocket, type RemoteInfo } from 'node:dgram'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { needs, withOwnMounts } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

needs('root', 'a mount namespace')('a name server', () => {
  test('that needs two seconds is slow, and no failure', async () => {
    await slowNameServer(2000)
    const service = await recordingServer({ json: [] })
    const { port } = new URL(service.url)
    const resolver = join(temporaryDirectory(), 'resolv.conf')
    writeFileSync(resolver, `nameserver ${address}\n`)
    const script = `mount --bind ${resolver} /etc/resolv.conf && exec "$@"`
    const run = await spawnCli(['pets', 'list', '--retries', '0'], {
      under: [...withOwnMounts, 'sh', '-c', script, 'sh'],
      env: {
        PETSTORE_API_KEY: 'sk_test_12345678',
        PETSTORE_BASE_URL: `http://slow.test:${port}/v1`,
        PETSTORE_ALLOW_HTTP: '1'
      }
    })
    expect(run).toMatchObject({ code: 0, stdout: '[]\n' })
  })
})

const address = '127.0.0.9'

/** Says that every name is 127.0.0.1, and has no IPv6 address, after this time. */
async function slowNameServer(milliseconds: number): Promise<void> {
  const socket = createSocket('udp4')
  onTestFinished(() => void socket.close())
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const isForIpv4 = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1
    const reply = isForIpv4 ? Buffer.concat([query, record]) : Buffer.from(query)
    reply.writeUInt16BE(0x8180, 2)
    reply.writeUInt16BE(isForIpv4 ? 1 : 0, 6)
    reply.writeUInt16BE(0, 10)
    setTimeout(() => socket.send(reply, port, address), milliseconds)
  })
  await new Promise<void>(resolve => socket.bind(53, address, resolve))
}

/** The name of the question, an IPv4 address, of the internet, for a second, of four bytes. */
const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1])
