import { PassThrough } from 'node:stream'
import { openStore } from '../../src/settings/store.ts'
import type { Host } from '../../src/system/host.ts'

/** What the real process has. */
export const realRuntime = () => ({
  node: process.versions.node,
  system: `${process.platform} ${process.arch}`
})

/** A process with these variables and nothing else. */
export function hostWith(env: Record<string, string | undefined>, home?: string): Host {
  return {
    env,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    writeAtOnce: () => 0,
    terminal: { stdin: false, stdout: false, stderr: false },
    columns: () => 80,
    now: () => new Date(),
    home: () => home,
    onSignal: () => () => {},
    onCrash: () => () => {},
    onWarning: () => {},
    runtime: realRuntime()
  }
}

/** The store of such a process. */
export function storeWith(env: Record<string, string | undefined>) {
  return openStore(hostWith(env), new AbortController())
}
