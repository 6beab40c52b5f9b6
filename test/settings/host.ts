import { PassThrough } from 'node:stream'
import { type Host, realPrograms, realRuntime } from '../../src/platform/host.ts'

/** A machine with these variables and nothing else. */
export function hostWith(env: Record<string, string | undefined>, home?: string): Host {
  return {
    env,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    terminal: { stdin: false, stdout: false, stderr: false },
    columns: () => 80,
    rows: () => 24,
    onResize: () => () => {},
    now: () => new Date(),
    home: () => home,
    onSignal: () => () => {},
    onCrash: () => () => {},
    ...realPrograms(),
    runtime: realRuntime(),
  }
}
