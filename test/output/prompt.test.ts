import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { type Prompt, withPrompts } from '../../src/output/prompt.ts'
import { plainStyle } from '../../src/output/view.ts'
import type { Host } from '../../src/platform/host.ts'
import { coloredStyle, recordingHost } from './hosts.ts'

const enter = '\r'
const ctrlL = '\u000c'
const ctrlC = '\u0003'
const ctrlD = '\u0004'

/** Runs a prompt, and types each text when the screen shows the text before it. */
async function ask<Answer>(
  question: (prompt: Prompt) => Promise<Answer>,
  typing: readonly (readonly [shown: string, typed: string | 'end'])[],
  signal = new AbortController().signal
) {
  const { host } = recordingHost({ isTerminal: true })
  const stdin = new PassThrough()
  let screen = ''
  const stderr = new PassThrough()
  const rest = [...typing]
  stderr.on('data', chunk => {
    screen += stripVTControlCharacters(String(chunk))
    const [next] = rest
    if (next === undefined || !screen.includes(next[0])) return
    rest.shift()
    setImmediate(() => {
      if (next[1] === 'end') stdin.end()
      // A TAB among other text is pasted and not typed.
      else for (const keys of next[1].split(/(\t)/)) stdin.write(keys)
    })
  })
  const terminal = { ...host, stdin, stderr }
  const answer = await prompting(terminal, question, { signal }).catch((error: unknown) => error)
  return { answer, screen }
}

function prompting<Answer>(
  host: Host,
  work: (prompt: Prompt) => Promise<Answer>,
  { signal = new AbortController().signal, style = plainStyle } = {}
): Promise<Answer> {
  const refusal = new Failure('usage', 'prompts are off')
  return withPrompts({ host, style, signal, requireInput: () => {} }, openPrompt =>
    work(openPrompt(refusal))
  )
}

const anyAnswer = () => undefined

describe('a prompt', () => {
  test('for a secret does not show it', async () => {
    const { answer, screen } = await ask(
      prompt => prompt.secret('API key', anyAnswer),
      [['API key', `sk_live_1\u007f2${enter}`]]
    )
    expect(answer).toBe('sk_live_2')
    expect(screen).toBe('API key (hidden): \n')
  })

  test('for a line ignores keys that are not an answer', async () => {
    const typed = `Re\t${ctrlL}\u001b[B\u001b[Cx${enter}`
    const { answer } = await ask(prompt => prompt.line('Name', anyAnswer), [['Name', typed]])
    expect(answer).toBe('Rex')
  })

  test('for a line repeats until the answer is valid', async () => {
    const problemWith = (text: string) => (text === 'b' ? undefined : 'only \u001b[2Jb')
    const { answer, screen } = await ask(
      prompt => prompt.line('Name\u202e', problemWith),
      [
        ['Name\\u{202e}: ', `a${enter}`],
        ['only ␛[2Jb', `c\u007fb${enter}`]
      ]
    )
    expect(answer).toBe('b')
    expect(screen.match(/Name/g)?.length).toBeGreaterThan(1)
  })

  test.each<[typed: readonly string[], answer: boolean]>([
    [[enter], false],
    [[`y${enter}`], true],
    [[`N${enter}`], false],
    [[`${ctrlL}${enter}`], false],
    [[`l${enter}`, `y${enter}`], true]
  ])('for a confirmation: %j is %s', async (typed, expected) => {
    const shown = ['Sure? (y/N): ', 'Use y or n.']
    const { answer } = await ask(
      prompt => prompt.confirm('Sure?'),
      typed.map((keys, index) => [shown[index] ?? '', keys])
    )
    expect(answer).toBe(expected)
  })

  test('is colored in its style alone', async () => {
    const { host, read } = recordingHost({ isTerminal: true })
    const style = await coloredStyle()
    const signal = AbortSignal.abort(new Error('stop'))
    const answer = prompting(host, prompt => prompt.line('Name', anyAnswer), { signal, style })
    await answer.catch(() => {})
    expect((await read()).stderr).toContain('\u001b[1mName\u001b[22m: ')
  })

  test('moves no cursor in a dumb terminal', async () => {
    const { host, read } = recordingHost({ isTerminal: true, env: { TERM: 'dumb' } })
    const answer = prompting(host, prompt => prompt.line('Name', anyAnswer))
    ;(host.stdin as PassThrough).write('Rex\n')
    expect(await answer).toBe('Rex')
    expect((await read()).stderr).toBe('Name: ')
  })
})

describe('prompts of one run', () => {
  const twoLines = async (prompt: Prompt) => [
    await prompt.line('Name', anyAnswer),
    await prompt.line('Id', anyAnswer)
  ]

  test.each([['Rex\r7\r'], ['Rex\r\n7\r\n']])('share the answers of a paste: %j', async typed => {
    const { answer, screen } = await ask(twoLines, [['Name: ', typed]])
    expect(answer).toEqual(['Rex', '7'])
    expect(screen).toMatch(/^Name: Rex\s+Id: 7\s+$/)
  })

  test('never show a key that was pasted after the answer before', async () => {
    const { answer, screen } = await ask(
      async prompt => [await prompt.line('URL', anyAnswer), await prompt.secret('Key', anyAnswer)],
      [['URL: ', 'https://a.example\rsk_live_1\rmore\r']]
    )
    expect(answer).toEqual(['https://a.example', 'sk_live_1'])
    expect(screen).not.toContain('sk_live')
    expect(screen).not.toContain('more')
  })

  test('take a long paste in pieces, not letter by letter', async () => {
    const name = 'x'.repeat(60_000)
    const { answer } = await ask(
      prompt => prompt.line('Name', anyAnswer),
      [['Name: ', `${name}\r`]]
    )
    expect(answer).toBe(name)
  })

  test('drop what arrives with the last answer, without a word about it', async () => {
    const problemWith = (text: string) => (text === '7' ? undefined : 'Use 7.')
    const { answer, screen } = await ask(
      prompt => prompt.line('Id', problemWith),
      [['Id: ', '7\rRex\r']]
    )
    expect(answer).toBe('7')
    expect(screen).not.toMatch(/Use|Rex/)
  })

  test.each([
    ['inserted at the start', 'Waddles', ['\u001b[H', 'Sir '], 'Sir Waddles'],
    ['inserted in one burst', 'Waddles\u001b[HSir \u001b[Fx', [], 'Sir Waddlesx'],
    ['inserted before the last letters', 'Wadles\u001b[D\u001b[D\u001b[Dd犬', [], 'Wadd犬les']
  ])('send the line that the screen shows: %s', async (_, first, rest, name) => {
    const keys = [first, ...rest, enter]
    const { answer } = await ask(
      prompt => prompt.line('Name', anyAnswer),
      [['Name: ', keys.join('\t')]]
    )
    expect(answer).toBe(name)
  })
})

describe('a prompt ends', () => {
  const name = (prompt: Prompt) => prompt.line('Name', anyAnswer)

  test.each([
    ['Ctrl-C', ctrlC],
    ['the end of the input', 'end']
  ])('with exit code 130 on %s', async (_, typed) => {
    const { answer } = await ask(name, [['Name', typed]])
    expect(answer).toMatchObject({ code: 'interrupted', exitCode: 130, message: 'interrupted' })
  })

  test('when its signal aborts, with the reason', async () => {
    const reason = new Failure('interrupted', 'interrupted', { exitCode: 143 })
    expect((await ask(name, [], AbortSignal.abort(reason))).answer).toBe(reason)
  })

  test('not on a letter d', async () => {
    expect((await ask(name, [['Name', `d${enter}`]])).answer).toBe('d')
  })

  test('on Ctrl-D on an empty line, but not on a line with text', async () => {
    expect((await ask(name, [['Name', ctrlD]])).answer).toMatchObject({ code: 'interrupted' })
    expect((await ask(name, [['Name', `ab${ctrlD}${enter}`]])).answer).toBe('ab')
  })
})
