import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { bundle } from '../support/bundle.ts'

/** Bundles a program beside this file into the directory. Returns the bundle's path. */
export function bundleProgram(name: string, directory: string): Promise<string> {
  return bundle(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), directory)
}

/**
 * Runs several openers on one file at the same moment. Returns the ids that each of them received.
 */
export async function runOpeners(
  opener: string,
  path: string,
  processes: number,
  pets: number
): Promise<string[][]> {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [opener, path, String(pets)])
  )
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  await Promise.all(children.map(child => once(child.stdout, 'readable')))
  const outputs = children.map(outputOf)
  for (const child of children) child.stdin.end()
  return (await Promise.all(outputs)).map(output => output.trim().split('\n').slice(1))
}

/**
 * Runs a program with an ordinary user's rights, because root can write everywhere. Returns its
 * output.
 */
export function runAsOrdinaryUser(program: string, path: string): Promise<string> {
  const rights = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  return outputOf(spawn(process.execPath, [program, path], rights))
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the process ended with ${code}: ${errors}`)
  return output
}
