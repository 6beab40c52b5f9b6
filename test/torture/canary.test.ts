import { expect, test } from 'vitest'
import { eachOption, exampleLines, leakyAnswers, leakyServer, mayPrint, runTrial } from '../support/canary.ts'
import type { Handler } from '../support/recording-server.ts'
import { runConcurrently } from '../support/run-concurrently.ts'

/** Runs an example of every command that sends a request, with every leaky answer and with every option. */
test('a key that the service leaks is shown nowhere', async () => {
  const seenInArgv: string[] = []
  const runAll = async (name: string, lines: readonly string[], extras: readonly string[][]) => {
    const server = await leakyServer(leakyAnswers[name] as Handler, seenInArgv)
    const trials = lines.flatMap((line) => extras.map((extra) => ({ line, extra, keyFrom: 'variable' as const })))
    return runConcurrently(
      4,
      trials.map((trial, index) => () => runTrial(trial, server, index)),
    )
  }

  const lines = await exampleLines()
  const outcomes = await runAll('in a refusal', lines, [[]])
  const sent = lines.filter((_line, index) => outcomes[index]?.hasSent)
  const commandOf = (line: string) => /petstore \w+ \w+/.exec(line)?.[0]
  const sending = sent.filter(
    (line, index) => sent.findIndex((other) => commandOf(other) === commandOf(line)) === index,
  )
  expect(sending.length).toBeGreaterThan(5)

  for (const name of Object.keys(leakyAnswers)) {
    const found = await runAll(name, sending, [[]])
    // Data from the service is printed unchanged, even if it contains the key.
    outcomes.push(...found.map((outcome) => (name === 'as data' ? { ...outcome, isOnStdout: false } : outcome)))
  }
  outcomes.push(...(await runAll('in a refusal', sending, await eachOption())))

  expect(outcomes.flatMap(({ leaks }) => leaks)).toEqual([])
  expect(outcomes.filter(({ isOnStdout, line }) => isOnStdout && !mayPrint(line))).toEqual([])
  expect(seenInArgv).toEqual([])
})
