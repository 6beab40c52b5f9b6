import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { OutputSettings } from '../../src/output/formats.ts'
import { createOutput } from '../../src/output/output.ts'
import { paintFor } from '../../src/output/paint.ts'
import type { Host } from '../../src/system/host.ts'
import { listenForInterruption } from '../../src/system/interruption.ts'
import { createReporter } from '../../src/terminal/reporter.ts'
import { hostWith } from '../settings/host.ts'

/** Always colors. */
export const colored = () => paintFor(recordingHost().host, 'stdout', 'always')

interface Wanted {
  readonly isTerminal?: boolean | undefined
  readonly columns?: number | undefined
  readonly env?: Host['env'] | undefined
}

/** A host that records stdout and stderr; `read` ends them. */
export function recordingHost({ isTerminal = false, columns = 80, env = {} }: Wanted = {}) {
  const stdout = new PassThrough({ highWaterMark: 1 << 25 })
  const stderr = new PassThrough({ highWaterMark: 1 << 25 })
  const host: Host = {
    ...hostWith(env),
    stdout,
    stderr,
    terminal: { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal },
    columns: () => columns,
    now: () => new Date(0)
  }
  const read = async () => {
    stdout.end()
    stderr.end()
    return { stdout: String(await buffer(stdout)), stderr: String(await buffer(stderr)) }
  }
  return { host, read }
}

export interface Case extends Wanted, Partial<OutputSettings> {
  readonly stdout?: Host['stdout']
}

/** Output and reporter of a run with these settings. */
export function outputOf({ isTerminal, columns, env, stdout, ...chosen }: Case = {}) {
  const { host: recording, read } = recordingHost({ isTerminal, columns, env })
  const host = { ...recording, stdout: stdout ?? recording.stdout }
  const { format = 'json', quiet = false } = chosen
  const settings = {
    color: 'never',
    int64AsStrings: false,
    ...chosen,
    format,
    quiet
  } as const
  const interruption = listenForInterruption(host)
  const report = createReporter(host, settings, interruption)
  const output = createOutput({
    host,
    typedFormat: undefined,
    settings,
    confirm: report.confirm,
    interruption
  })
  return { host, read, output, report, interruption }
}
