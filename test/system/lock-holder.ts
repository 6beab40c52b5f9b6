import { takeLock } from '../../src/system/lock.ts'

/** Takes the lock of a file, says so, and holds it until it is killed. */
const [file = '', wait] = process.argv.slice(2)
const { signal } = new AbortController()
try {
  await takeLock({ file, what: 'the file', milliseconds: Number(wait), signal })
  process.stdout.write('held\n')
  process.stdin.resume()
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`)
}
