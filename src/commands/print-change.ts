import { Failure } from '../failure.ts'

/** Prints the result of a completed change. If that fails, the error says that the change was made. */
export async function printChange(done: string, print: () => Promise<void>): Promise<void> {
  try {
    await print()
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'local') throw error
    throw new Failure('local', `${done}, but the result cannot be printed: ${error.message}`, { cause: error })
  }
}
