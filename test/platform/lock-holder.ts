import { takeLock } from '../../src/platform/lock.ts'

/**
 * A program that takes the lock of a file, reports it, and holds it until it is killed or its
 * standard input ends.
 */
const [file = '', milliseconds = '0'] = process.argv.slice(2)
try {
  const release = await takeLock({ file, what: 'the file', milliseconds: Number(milliseconds) })
  process.stdout.write('held\n')
  process.stdin.resume().on('end', () => release?.())
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`)
}
