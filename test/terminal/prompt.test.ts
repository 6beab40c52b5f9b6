import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { unpainted } from '../../src/output/paint.ts'
import type { Host } from '../../src/system/host.ts'
import { listenForInterruption } from '../../src/system/interruption.ts'
import { type Prompt, withPrompts } from '../../src/terminal/prompt.ts'
import { recordingHost } from '../output/hosts.ts'

const enter = '\r'
const ctrlC = '\u0003'
const ctrlD = '\u0004'
const down = '\u001b[B'
const up = '\u001b[A'

type Typing = readonly (readonly [shown: string, typed: string | 'end'])[]

/** Asks, and types each text when the screen shows the text before it. */
async function ask(
  question: (prompt: Prompt) => Promise<unknown>,
  typing: Typing,
  host = recordingHost({ isTerminal: true }).host
) {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  const rest = [...typing]
  let screen = ''
  stderr.on('data', chunk => {
    screen += stripVTControlCharacters(String(chunk))
    const [shown, typed] = rest[0] ?? []
    if (shown === undefined || !screen.includes(shown)) return
    rest.shift()
    setImmediate(() => (typed === 'end' ? stdin.end() : stdin.write(typed)))
  })
  const options = {
    host: { ...host, stdin, stderr },
    paint: unpainted,
    interruption: listenForInterruption(host),
    canPrompt: true
  }
  const answer = await withPrompts(options, openPrompt =>
    question(openPrompt(new Failure('usage', 'prompts are off')))
  ).catch((error: unknown) => error)
  return { answer, screen }
}

const anyAnswer = String
const only = (right: string) => (text: string) => {
  if (text !== right) throw new Failure('usage', `Use ${right}\u202e`)
  return text
}
const name = (prompt: Prompt) => prompt.text('Name', anyAnswer)
const sure = (prompt: Prompt) => prompt.confirm('Sure?')
const status = (prompt: Prompt) => prompt.choice('Status', ['none', 'available', 'pending', 'sold'])
const environment = (prompt: Prompt) => prompt.choice('Environment', ['prod-eu', 'prod-us'])
const nameAndId = async (prompt: Prompt) => [await name(prompt), await prompt.text('Id', anyAnswer)]

describe('a prompt', () => {
  test.each<[string, (prompt: Prompt) => Promise<unknown>, Typing, unknown]>([
    ['takes a line', name, [['Name: ', `Rex${enter}`]], 'Rex'],
    [
      'edits a line',
      name,
      [
        ['Name: ', 'Wadles'],
        ['Wadles', '\u001b[D\u001b[D\u001b[D'],
        ['Wadles', '犬'],
        ['犬', enter]
      ],
      'Wad犬les'
    ],
    ['confirms', sure, [['Sure? (y/N): ', `y${enter}`]], true],
    ['means no by Enter', sure, [['Sure? (y/N): ', enter]], false],
    ['chooses the first', status, [['> none', enter]], 'none'],
    ['chooses by letters', environment, [['> prod-eu', `prod-us${enter}`]], 'prod-us'],
    [
      'takes nothing that was not typed',
      status,
      [
        ['> none', `adopted${enter}`],
        ["with 'adopted'", enter]
      ],
      'none'
    ],
    ['forgets letters after an arrow', status, [['> none', `so${up}p${enter}`]], 'pending'],
    ['chooses by arrows', status, [['> none', `${up}${up}${down}${enter}`]], 'sold'],
    ['takes a paste', nameAndId, [['Name: ', 'Rex\r7\r']], ['Rex', '7']]
  ])('%s', async (_, question, typing, expected) => {
    expect((await ask(question, typing)).answer).toEqual(expected)
  })

  test('repeats until the answer is valid, and shows no active character', async () => {
    const { answer, screen } = await ask(
      prompt => prompt.text('Name\u202e', only('b')),
      [
        ['Name\\u{202e}: ', `a${enter}`],
        ['Use b\\u{202e}', `b${enter}`]
      ]
    )
    expect(answer).toBe('b')
    expect(screen).not.toContain('\u202e')
  })

  test('a choice shows no active character', async () => {
    const { answer, screen } = await ask(
      prompt => prompt.choice('Environment', ['a\u202e']),
      [['> a\\u{202e}', enter]]
    )
    expect([answer, screen.includes('\u202e')]).toEqual(['a\u202e', false])
  })

  test('never shows a key, typed or pasted after the answer before', async () => {
    const { answer, screen } = await ask(
      async prompt => [await name(prompt), await prompt.secret('Key', anyAnswer)],
      [['Name: ', 'a\rsk_live_1\u007f2\rmore\r']]
    )
    expect(answer).toEqual(['a', 'sk_live_2'])
    expect(screen).toMatch(/^Name: \S*a\s+Key \(hidden\): \n$/)
  })

  test.each<[string, (prompt: Prompt) => Promise<unknown>, string]>([
    ['a line', name, ctrlC],
    ['a line', name, ctrlD],
    ['a line', name, 'end'],
    ['a key', prompt => prompt.secret('Name', anyAnswer), ctrlC],
    ['a choice', prompt => prompt.choice('Name', ['a', 'b']), ctrlC],
    ['a choice', prompt => prompt.choice('Name', ['a', 'b']), ctrlD]
  ])('for %s ends with 130 by %j', async (_, question, typed) => {
    const { answer } = await ask(question, [['Name', typed]])
    expect(answer).toMatchObject({ message: 'interrupted', exitCode: 130 })
  })

  test('ends with the reason of a signal', async () => {
    const { host } = recordingHost({ isTerminal: true })
    const onSignal: Host['onSignal'] = listener => {
      listener('SIGTERM')
      return () => {}
    }
    expect((await ask(name, [], { ...host, onSignal })).answer).toMatchObject({ exitCode: 143 })
  })
})
