import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { leavesOf, pathBelow, walkTree } from '../../src/cli/tree.ts'
import type { AnyCommand } from '../../src/commands/declare.ts'
import { runCli } from '../support/run-cli.ts'

const program: AnyCommand = buildProgram('0.0.0')
const wordsOf = (path: string) => path.split(' ').filter((word) => word !== '')
const pageOf = async (...words: readonly string[]) => (await runCli([...words, '--help'])).stdout
const headingsOf = (page: string) =>
  [...page.matchAll(/^(\S.*?)(?: \(petstore help .*\))?:$/gm)].map(([, heading]) => heading)

describe('the page of petstore', () => {
  test('groups the commands', async () => {
    const page = await pageOf()
    const lists = page.split('\n\n').filter((part) => /^\S.*:\n {2}[a-z]+ {2,}[a-z]/.test(part))
    const named = lists.map((part) => [
      part.split(':')[0],
      part.match(/^ {2}(help \S+|\S+)/gm)?.map((name) => name.trim()),
    ])
    expect(named).toEqual([
      ['Pets and messages', ['pets', 'messages']],
      ['Environments and keys', ['env', 'auth', 'config']],
      ['Scripting', ['api', 'commands', 'completion']],
      ['Local service', ['serve']],
      ['More', ['doctor', 'help']],
    ])
  })
})

describe('the page of a command', () => {
  test.each(leavesOf(program).map(pathBelow))(
    'petstore %s: its own options and examples come before the shared options and the exit codes',
    async (path) => {
      const headings = headingsOf(await pageOf(...wordsOf(path)))
      const order = ['Usage', 'Alias', 'Arguments', 'Options', 'Examples', 'Shared options', 'Exit codes']
      expect(headings).toEqual(order.filter((heading) => headings.includes(heading)))
      expect(headings).toEqual(expect.arrayContaining(['Usage', 'Examples', 'Shared options', 'Exit codes']))
    },
  )

  test('explains its own options and only names the shared ones', async () => {
    const page = await pageOf('pets', 'list')
    const [own = '', shared = ''] = page.split('Shared options (petstore help options):')
    expect(own).toContain('\n  --status <status>  only pets with this status')
    expect(own).not.toMatch(/--timeout|--help/)
    expect(shared).toContain('\n  --env, --output, --json, --fields, --jq,')
  })

  test.each([['pets', 'list'], ['pets', 'add'], ['auth', 'token'], ['commands']])(
    '%s %s: names no shared option that it refuses',
    async (...path) => {
      const words = path.filter((word) => word !== undefined)
      const shared = (await pageOf(...words)).split('Shared options')[1]?.split('\n\n')[0] ?? ''
      for (const flag of ['--timeout 1', '--json', '--env local', '--fields id', '--jq .']) {
        const [name = ''] = flag.split(' ')
        const { code, stderr } = await runCli([...words, ...flag.split(' ')])
        const isRefused = code === 2 && stderr.includes(`${name} `)
        expect({ words, flag, isNamed: shared.includes(name) }).toEqual({ words, flag, isNamed: !isRefused })
      }
    },
  )

  test('only a command that changes something can end in doubt, only one that sends something can be refused', async () => {
    const codesOf = async (...words: string[]) => (await pageOf(...words)).split('Exit codes')[1]
    expect(await codesOf('pets', 'add')).toContain('10 in-doubt')
    expect(await codesOf('pets', 'list')).not.toContain('in-doubt')
    expect(await codesOf('pets', 'list')).toContain('4 auth')
    expect(await codesOf('auth', 'token')).toContain('4 auth')
    expect(await codesOf('env', 'use')).not.toMatch(/auth|service|rejected/)
  })
})

test('no page says animal, kept, address or colour', async () => {
  const pages = [
    ...walkTree(program).map(pathBelow),
    'options',
    'environment',
    'formats',
    'import',
    'security',
    'agents',
  ]
  for (const page of pages) {
    const { stdout } = await runCli(['help', ...wordsOf(page)])
    expect({
      page,
      found: stdout.match(/animals?|\bkept\b|\bkeeps?\b|colour|whoever|address(?!.* to listen)/gi),
    }).toEqual({
      page,
      found: null,
    })
  }
})
