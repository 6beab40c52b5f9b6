import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { styleFor } from '../../src/output/view.ts'
import type { Host } from '../../src/platform/host.ts'
import { listenForInterruption } from '../../src/platform/interruption.ts'
import { realRuntime } from '../settings/host.ts'

/** A style that always colors. */
export const coloredStyle = () => styleFor(recordingHost().host, 'stdout', 'always')

interface Wanted {
  readonly isTerminal?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly env?: Host['env']
}

/**
 * What `createOutput` needs beside the host and the settings, where nothing is reported and no
 * signal arrives.
 */
export const undisturbed = {
  typedFormat: undefined,
  report: { notice: async () => {}, confirm: async () => {} },
  interruption: listenForInterruption(recordingHost().host)
}

/** A host that records stdout and stderr; `read` ends them. */
export function recordingHost({ isTerminal = false, columns = 80, env = {} }: Wanted = {}) {
  const stdout = new PassThrough({ highWaterMark: 1 << 24 })
  const stderr = new PassThrough({ highWaterMark: 1 << 24 })
  const host: Host = {
    env,
    stdin: new PassThrough(),
    stdout,
    stderr,
    writeAtOnce: () => 0,
    terminal: { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal },
    columns: () => columns,
    now: () => new Date(0),
    home: () => undefined,
    onSignal: () => () => {},
    onCrash: () => () => {},
    onWarning: () => {},
    runtime: realRuntime(),
    hasFileInput: () => false
  }
  const read = async () => {
    stdout.end()
    stderr.end()
    return { stdout: String(await buffer(stdout)), stderr: String(await buffer(stderr)) }
  }
  return { host, read }
}
