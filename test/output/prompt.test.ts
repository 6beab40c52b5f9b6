import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { createPrompt, type Prompt } from '../../src/output/prompt.ts'
import { recordingHost } from './hosts.ts'

const down = '\u001b[B'
const enter = '\r'
const ctrlC = '\u0003'
const ctrlD = '\u0004'

/** Runs a prompt, and types each text when the screen shows the text before it. */
async function ask<Answer>(
  question: (prompt: Prompt) => Promise<Answer>,
  typing: readonly (readonly [shown: string, typed: string | 'end'])[],
  signal = new AbortController().signal,
) {
  const { host } = recordingHost({ isTerminal: true })
  const stdin = new PassThrough()
  let screen = ''
  const stderr = new PassThrough()
  const rest = [...typing]
  stderr.on('data', (chunk) => {
    screen += stripVTControlCharacters(String(chunk))
    const [next] = rest
    if (next === undefined || !screen.includes(next[0])) return
    rest.shift()
    setImmediate(() => (next[1] === 'end' ? stdin.end() : stdin.write(next[1])))
  })
  const answer = await question(createPrompt({ ...host, stdin, stderr }, signal)).catch((error: unknown) => error)
  return { answer, screen }
}

describe('a prompt', () => {
  test('for a secret does not show it', async () => {
    const { answer, screen } = await ask((prompt) => prompt.secret('API key'), [['API key', `sk_live_1${enter}`]])
    expect(answer).toBe('sk_live_1')
    expect(screen).toContain('*********')
    expect(screen).not.toContain('sk_live')
  })

  test('for a line repeats until the answer is valid', async () => {
    const problemWith = (text: string) => (text === 'b' ? undefined : 'only \u001b[2Jb')
    const { answer, screen } = await ask(
      (prompt) => prompt.line('Name\u202e', { placeholder: 'Rex', problemWith }),
      [
        ['Name\\u{202e}', `a${enter}`],
        ['only ␛[2Jb', `\u007fb${enter}`],
      ],
    )
    expect(answer).toBe('b')
    expect(screen).toContain('Rex')
  })

  test('for a choice returns its value', async () => {
    const { answer, screen } = await ask(
      (prompt) => prompt.choice('Status', ['available', 'sold', 'none']),
      [['available', `${down}${enter}`]],
    )
    expect(answer).toBe('sold')
    expect(screen).toContain('none')
  })

  test.each([
    [enter, false],
    [`y${enter}`, true],
    [`n${enter}`, false],
  ])('for a confirmation: %j is %s', async (typed, expected) => {
    expect((await ask((prompt) => prompt.confirm('Sure?'), [['Sure?', typed]])).answer).toBe(expected)
  })
})

describe('a prompt ends', () => {
  const name = (prompt: Prompt) => prompt.line('Name')

  test.each([
    ['Ctrl-C', ctrlC, 'interrupted'],
    ['the end of the input', 'end', 'canceled with Ctrl-D'],
  ])('with exit code 130 on %s', async (_, typed, message) => {
    const { answer } = await ask(name, [['Name', typed]])
    expect(answer).toMatchObject({ code: 'interrupted', exitCode: 130, message })
  })

  test('when its signal aborts, with the reason', async () => {
    const reason = new Failure('interrupted', 'interrupted', { signal: 'SIGTERM' })
    expect((await ask(name, [], AbortSignal.abort(reason))).answer).toBe(reason)
  })

  test('not on a letter d', async () => {
    expect((await ask(name, [['Name', `d${enter}`]])).answer).toBe('d')
  })

  test('on Ctrl-D on an empty line, but not on a line with text', async () => {
    expect((await ask(name, [['Name', ctrlD]])).answer).toMatchObject({ message: 'canceled with Ctrl-D' })
    expect((await ask(name, [['Name', `ab${ctrlD}${enter}`]])).answer).toBe('ab')
  })
})
