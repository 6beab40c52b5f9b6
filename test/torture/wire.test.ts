import { expect, test } from 'vitest'
import { ends, head, pours } from '../support/faults/fault.ts'
import { peakMemory } from '../support/peak-memory.ts'
import { rawServer } from '../support/raw-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'

const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const mebibytes = (count: number) => count * 2 ** 20
const page = (body: string) => ends(`${head}content-length: ${body.length}\r\n\r\n${body}`)
const filled = (piece: string) =>
  page(`[${piece.repeat(mebibytes(16) / piece.length - 2)}${piece.replace(',', '')}]`)

test.each<[what: string, code: number, megabytes: number, answer: Parameters<typeof rawServer>[0]]>(
  [
    ['a body without end', 7, 300, pours(`${head}\r\n`, Buffer.alloc(mebibytes(1), ' '))],
    ['the name of a chunk without end', 6, 300, pours(`${chunked}1;`, 'x'.repeat(65_536))],
    ['interim replies without end', 6, 300, pours('', 'HTTP/1.1 103 X\r\n\r\n'.repeat(1000))],
    ['millions of invalid pets', 7, 1200, filled('[],')],
    ['one number of 16 MiB', 7, 600, page(`[${'1'.repeat(mebibytes(16) - 2)}]`)]
  ]
)('memory is bounded: %s', async (_, code, megabytes, answer) => {
  const server = await rawServer(answer)
  const memory = peakMemory()
  const seconds = code === 6 ? '4' : '200'
  const run = await spawnCli(['pets', 'list', '--timeout', seconds, '--retries', '0'], {
    env: { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url },
    nodeArguments: memory.nodeArguments
  })
  expect([run.code, run.stdout]).toEqual([code, ''])
  expect(memory.megabytes()).toBeLessThan(megabytes)
})
