import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, statSync, unlinkSync } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../failure.ts'
import { systemFailure } from '../platform/errno.ts'
import { nameOf } from '../platform/read-input.ts'
import { realPathOf } from '../platform/same-file.ts'
import { countRows, type ReadingOptions } from './rows.ts'

export interface InputContent {
  readonly sha256: string
  readonly rows: number
}

interface InputOptions extends Omit<ReadingOptions, 'name'> {
  /** `-` for standard input. */
  readonly path: string
  readonly stdin: Readable
  readonly signal: AbortSignal
  /** Where standard input is copied, so that it can be read twice. */
  readonly directory: string
}

export type ImportInput = Awaited<ReturnType<typeof openInput>>

/** Reads the input once: its rows are counted, and its content decides which import it is. */
export async function openInput({ path, stdin, signal, directory, format }: InputOptions) {
  const name = nameOf(path)
  const isCopied = path === '-' || !statSync(path, { throwIfNoEntry: false })?.isFile()
  const file = isCopied ? `${directory}/${randomBytes(8).toString('hex')}.tmp` : path
  const fail = (error: unknown) => {
    throw signal.aborted ? signal.reason : systemFailure(error, 'usage', `${name} cannot be read`)
  }
  if (isCopied) {
    const source = path === '-' ? stdin : createReadStream(path)
    await pipeline(source, createWriteStream(file, { mode: 0o600 }), { signal }).catch(fail)
  }
  const hash = createHash('sha256')
  const version = () => statSync(file).mtimeMs + statSync(file).size
  const before = version()
  async function* read(isFirst: boolean): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of addAbortSignal(signal, createReadStream(file))) {
        if (isFirst) hash.update(chunk)
        else if (version() !== before)
          throw new Failure('local', `${name} changed during the import`)
        yield chunk
      }
    } catch (error) {
      fail(error)
    }
  }
  const { rows, format: found } = await countRows(read(true), { name, format })
  return {
    /** As the user typed it, for messages. */
    name,
    /** The real path; undefined if it has none. */
    path: isCopied ? undefined : realPathOf(path),
    format: found,
    content: { sha256: hash.digest('hex'), rows },
    chunks: () => read(false),
    close: () => isCopied && unlinkSync(file)
  }
}
