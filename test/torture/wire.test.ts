import { describe, expect, test } from 'vitest'
import { head, pours } from '../support/faults/fault.ts'
import { peakMemory } from '../support/peak-memory.ts'
import { rawServer } from '../support/raw-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'

const megabyte = 1024 * 1024
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const whole = (body: string) => `${head}content-length: ${body.length}\r\n\r\n${body}`
const filling = (piece: string) =>
  `[${piece.repeat((32 * megabyte) / piece.length - 2)}${piece.replace(',', '')}]`

describe('memory is bounded for any reply', () => {
  test.each<
    [what: string, code: number, megabytes: number, answer: Parameters<typeof rawServer>[0]]
  >([
    ['a body without end', 7, 300, pours(`${head}\r\n`, Buffer.alloc(megabyte, ' '))],
    ['chunks of one byte without end', 7, 300, pours(chunked, '1\r\n \r\n'.repeat(10_000))],
    ['the name of a chunk without end', 6, 300, pours(`${chunked}1;`, 'x'.repeat(65_536))],
    ['trailers without end', 7, 300, pours(`${chunked}0\r\n`, 'x: y\r\n'.repeat(1000))],
    [
      'interim replies without end',
      6,
      300,
      pours('', 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(1000))
    ],
    ['eleven million invalid pets', 7, 1800, socket => socket.end(whole(filling('[],')))],
    ['sixteen million numbers', 7, 1800, socket => socket.end(whole(filling('1,')))],
    [
      'one number of 32 MiB',
      7,
      800,
      socket => socket.end(whole(`[${'1'.repeat(32 * megabyte - 2)}]`))
    ]
  ])('%s', async (_, code, megabytes, answer) => {
    const server = await rawServer(answer)
    const memory = peakMemory()
    const run = await spawnCli(
      ['pets', 'list', '--timeout', code === 6 ? '4' : '200', '--retries', '0'],
      {
        env: {
          PETSTORE_API_KEY: 'sk_test_12345678',
          PETSTORE_BASE_URL: `${server.url}/v1`,
          ...memory.env
        },
        nodeArguments: memory.nodeArguments
      }
    )
    expect({ code: run.code, stdout: run.stdout }, run.stderr.slice(-500)).toEqual({
      code,
      stdout: ''
    })
    expect(memory.megabytes()).toBeLessThan(megabytes)
  })
})
