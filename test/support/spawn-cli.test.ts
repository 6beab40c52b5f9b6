import { expect, test } from 'vitest'
import { spawnCli, startCli } from './spawn-cli.ts'

const echoEnvironment = [
  '-e',
  'process.stdin.pipe(process.stdout).on("close", () => {}); console.error(Object.keys(process.env).sort().join())',
]

test('the built program runs in a clean environment', async () => {
  const { code, signal, stdout, stderr } = await spawnCli(['--version'])
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('the input is piped in completely, and no variable of this process is passed on', async () => {
  process.env.PETSTORE_ENV = 'elsewhere'
  const result = await spawnCli([], { nodeArguments: echoEnvironment, input: 'ü', env: { EXTRA: '1' } })
  delete process.env.PETSTORE_ENV
  expect(result).toEqual({ code: 0, signal: null, stdout: 'ü', stderr: 'EXTRA,HOME,LANG,PATH\n' })
})

test('a running program receives signals, and its output is collected', async () => {
  const waitForever = ['-e', 'console.log("ready"); setInterval(() => {}, 1e6)']
  const running = startCli([], { nodeArguments: waitForever })
  await running.printed('stdout', 'ready')
  running.child.kill('SIGTERM')
  expect(await running.finished).toMatchObject({ code: null, signal: 'SIGTERM', stdout: 'ready\n' })
})

test('waiting for text that is never printed fails when the program ends', async () => {
  const running = startCli([], { nodeArguments: ['-e', 'console.error("no")'] })
  await expect(running.printed('stdout', /ready/)).rejects.toThrow(/ended before.*no/s)
})
