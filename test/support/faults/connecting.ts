import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { refusingAddress } from '../raw-server.ts'
import { nodePath } from '../spawn-cli.ts'
import { atServer, endsWith, type Fault, type OpenFault } from './fault.ts'

/** Answers lookups without a name server. */
export const resolver = fileURLToPath(new URL('resolver.cjs', import.meta.url))

/** Tests have no name server, so the program gets a fixed answer to its lookup. */
const lookedUp = (answer: string): OpenFault => ({
  env: { PETSTORE_BASE_URL: 'https://pets.example/v1', PETSTORE_TEST_LOOKUP: answer },
  requests: () => 0,
  nodeArguments: ['--require', resolver]
})

/** Faults before there is a connection. */
export const connectingFaults: readonly Fault[] = [
  {
    name: 'refused',
    what: 'nothing listens on the port',
    result: { problem: 'refused', isStarted: false },
    list: [6, 0],
    add: [6, 0],
    open: async () => ({
      env: { PETSTORE_BASE_URL: `${await refusingAddress()}/v1` },
      requests: () => 0
    })
  },
  {
    name: 'full-backlog',
    what: 'the server accepts no more connections',
    result: { problem: 'timeout', isStarted: false },
    list: [6, 0],
    add: [6, 0],
    needsDeadline: true,
    open: async () => ({
      env: { PETSTORE_BASE_URL: `${await fullServer()}/v1` },
      requests: () => 0
    })
  },
  {
    name: 'no-route',
    what: 'there is no route to the address',
    result: { problem: 'unreachable', isStarted: false },
    list: [6, 0],
    add: [6, 0],
    open: async () => ({
      env: { PETSTORE_BASE_URL: 'https://255.255.255.255/v1' },
      requests: () => 0
    })
  },
  {
    name: 'no-webassembly',
    what: 'Node runs without WebAssembly',
    result: { problem: 'no-webassembly', isStarted: false },
    list: [9, 0],
    add: [9, 0],
    open: async () => ({
      ...(await atServer(endsWith(''))),
      // Node 24 has no option of its own for it.
      nodeArguments: [
        Number.parseInt(process.versions.node, 10) < 24 ? '--no-expose-wasm' : '--jitless'
      ]
    })
  },
  {
    name: 'dns-unknown',
    what: 'the name does not exist',
    result: { problem: 'dns', isStarted: false },
    list: [6, 0],
    add: [6, 0],
    open: async () => lookedUp('ENOTFOUND')
  },
  {
    name: 'dns-temporary',
    what: 'the name server fails temporarily',
    result: { problem: 'dns-temporary', isStarted: false },
    list: [6, 0],
    add: [6, 0],
    open: async () => lookedUp('EAI_AGAIN')
  },
  {
    name: 'dns-silent',
    what: 'the name server does not answer',
    result: { problem: 'lookup-timeout', isStarted: false },
    list: [6, 0],
    add: [6, 0],
    needsDeadline: true,
    open: async () => lookedUp('silence')
  }
]

/** A program that listens and never accepts connections, so that its backlog fills. */
const listener = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

async function fullServer(): Promise<string> {
  const child = spawn(nodePath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  // More than the backlog holds; the rest get no answer.
  for (let index = 0; index < 6; index += 1) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await Promise.race([once(socket, 'connect'), new Promise(resolve => setTimeout(resolve, 200))])
  }
  return `http://127.0.0.1:${port}`
}
