import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { samplePets } from '../../src/service/first-pets.ts'
import { startService } from '../../src/service/serve.ts'
import { blocksOfPage, examplesOfHelp, plainCommands } from '../support/examples.ts'
import { needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'
import { binPath, cleanEnvironment, isClone } from '../support/spawn-cli.ts'

const key = 'sk_test_0123456789abcdef'
const files = {
  'key.txt': `${key}\n`,
  'pet.json': '{"name":"Rex","categoryId":2}',
  'pets.json': '[{"name":"Rex","categoryId":2}]',
  'pets.ndjson': '{"name":"Rex","categoryId":2}\n{"name":"Ina","categoryId":3,"status":"sold"}\n',
  'pets.csv': 'name,categoryId\nRex,2\n',
  'message.txt': 'Do you have a parrot?\n'
}

const directory = mkdtempSync(join(tmpdir(), 'petstore-examples-'))
/** A home with keys for production and staging, and the files of the examples. */
const setUp = join(directory, 'set-up')
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  service = await startService({
    host: '127.0.0.1',
    port: 0,
    key,
    path: ':memory:',
    firstPets: samplePets,
    isResettable: true,
    now: () => new Date(),
    log: () => {},
    onFailure: () => {},
    otherPort: ''
  })
  for (const place of ['programs', 'set-up/here', 'set-up/shop', 'set-up/.config/fish/completions'])
    mkdirSync(join(directory, place), { recursive: true })
  symlinkSync(binPath, join(directory, 'programs/petstore'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(setUp, 'here', name), content)
  writeFileSync(join(setUp, 'shop/export.csv'), files['pets.csv'])
  const { origin } = service
  for (const name of ['staging', 'production']) {
    const urls = ['--base-url', `${origin}/v1`, '--messages-url', origin]
    await runCli(['auth', 'login', '--env', name, ...urls], { home: setUp, stdin: key })
  }
  await runCli(['env', 'use', 'production'], { home: setUp })
})
afterAll(async () => {
  await service.close()
  rmSync(directory, { recursive: true, maxRetries: 5 })
})

let homes = 0
function freshHome(isSetUp = true): string {
  homes += 1
  const home = join(directory, `home-${homes}`)
  if (isSetUp) cpSync(setUp, home, { recursive: true })
  else mkdirSync(join(home, 'here'), { recursive: true })
  return home
}

/** Real hosts, ports and keys; what runs until it is stopped goes on beside the lines that follow. */
function filled(script: string): string {
  return script
    .replaceAll('4010', String(20_500 + homes))
    .replaceAll(/https:\/\/(HOST|[a-z.]+\.example)/g, service.origin)
    .replaceAll(/ ID\b/g, ' 1')
    .replaceAll('=…', `=${key}`)
    .replaceAll(/^(petstore serve)(?!.*--port)/gm, '$1 --port 0')
    .replaceAll(/^petstore (.* )?(serve|--watch)\b(?!.*&$).*/gm, '$& &\nsleep 1')
}

const shells = {
  bash: ['--norc', '--noprofile', '-c'],
  zsh: ['-f', '-c'],
  fish: ['--no-config', '-c']
}
type Shell = keyof typeof shells

/** Runs a script with the key on standard input, and stops what is still there at its end. */
async function runIn(shell: Shell, script: string, home: string) {
  const PATH = `${join(directory, 'programs')}:${process.env.PATH}`
  const env = { ...cleanEnvironment(home), PATH }
  const options = { cwd: join(home, 'here'), env, detached: true }
  const child = spawn(shell, [...shells[shell], script], options)
  child.stdin.on('error', () => {}).end(`${key}\n`)
  child.once('exit', () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGTERM')
    } catch {
      // Nothing is left.
    }
  })
  const code = new Promise(resolve => child.once('exit', resolve))
  const [stderr] = await Promise.all([text(child.stderr), text(child.stdout)])
  return { code: await code, stderr }
}

/** Ends at the first line that fails. fish ends with 0 also if it cannot parse the script. */
const strict = (script: string) => `${script.replaceAll(/(?<![\\&])$/gm, ' || exit')}\nexit 42`

/** A script that expects a failure says what comes then. */
const works = (script: string, code = 0) => ({
  code,
  ...(!script.includes('||') && { stderr: expect.not.stringContaining('"error"') })
})

/** Runs commands that need no shell in this process, which is faster. */
async function runHere(commands: readonly string[][], home: string): Promise<void> {
  const before = process.cwd()
  process.chdir(join(home, 'here'))
  onTestFinished(() => process.chdir(before))
  for (const argv of commands)
    expect({ argv, ...(await runCli(argv, { home, stdin: `${key}\n` })) }).toMatchObject(works(''))
}

/** The reference only has examples from help. */
const docs = readdirSync(fileURLToPath(new URL('../../docs', import.meta.url)))
  .filter(name => name.endsWith('.md') && name !== 'reference.md')
  .map(name => `docs/${name}`)
const pasted = [...docs, 'skills/petstore/SKILL.md'].flatMap(page => blocksOfPage(page, 'sh'))
const scripts = ['README.md', ...docs].flatMap(page => blocksOfPage(page, 'bash'))
const isPlain = (script: string) => isClone && plainCommands(script) !== undefined
const examples = [...new Set([...examplesOfHelp(), ...pasted.filter(isPlain), ...scripts])]

needs(
  'bash',
  'zsh',
  'fish',
  'jq',
  'curl'
)('every example works as written', () => {
  test.each(examples.filter(isPlain))('%s', async example => {
    await runHere(plainCommands(filled(example)) ?? [], freshHome())
  })

  test.concurrent.for(examples.filter(example => !isPlain(example)))('%s', async example => {
    const shell = example.includes('completion zsh') ? 'zsh' : 'bash'
    const options = shell === 'bash' ? 'set -euo pipefail\n' : ''
    expect(await runIn(shell, options + filled(example), freshHome())).toMatchObject(works(example))
  })

  const lines = pasted.filter(block => !isPlain(block))
  const readme = blocksOfPage('README.md', 'sh').join('\n')
  describe.each(Object.keys(shells) as Shell[])('pasted into %s', shell => {
    test.concurrent.for(lines)('%s', async (block, { expect }) => {
      expect(await runIn(shell, strict(filled(block)), freshHome())).toMatchObject(works(block, 42))
    })

    test('README.md from top to bottom, on a machine with nothing set up', async () => {
      expect(await runIn(shell, strict(filled(readme)), freshHome(false))).toMatchObject(
        works('', 42)
      )
    }, 120_000)
  })

  test.each<[Shell, string]>([
    ['bash', 'petstore pets lst'],
    ['zsh', 'true\npetstore pets list --env nowhere | cat\ntrue'],
    ['fish', 'version=$(petstore --version)']
  ])('in %s, %s is found to fail', async (shell, script) => {
    expect(await runIn(shell, strict(script), freshHome())).not.toMatchObject(works('', 42))
  })
})
