import type { Reply } from '../model/exchange.ts'
import { errorCode } from '../platform/system-error.ts'
import type { FaultKind } from './fault.ts'

/** The maximum size of a reply, both as sent and decompressed. */
export const largestReply = 32 * 1024 * 1024

/** Names of the compressions in the order in which they were applied; none for a body that was not compressed. */
export function encodingsOf({ headers }: Pick<Reply, 'headers'>): string[] {
  const names = [headers['content-encoding'] ?? []].flat().flatMap((value) => value.toLowerCase().split(','))
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
}

/**
 * The body without its compressions. Requests refuse compression, but some servers and proxies compress anyway. Each
 * step ends at the size limit, so a bomb cannot fill the memory.
 */
export async function decodeBody(body: Uint8Array, encodings: readonly string[]): Promise<Uint8Array> {
  let decoded = body
  for (const encoding of encodings.toReversed()) {
    // Nothing was compressed, as some servers do for an empty reply.
    if (decoded.length > 0) decoded = await decompress(decoded, encoding)
  }
  return decoded
}

async function decompress(body: Uint8Array, encoding: string): Promise<Uint8Array> {
  // Loaded only here, because few replies are compressed.
  const zlib = await import('node:zlib')
  return new Promise((resolve, reject) => {
    const options = { maxOutputLength: largestReply }
    const done = (error: Error | null, decoded: Uint8Array) => (error === null ? resolve(decoded) : reject(error))
    if (encoding === 'gzip' || encoding === 'x-gzip') zlib.gunzip(body, options, done)
    else if (encoding === 'br') zlib.brotliDecompress(body, options, done)
    else if (encoding !== 'deflate') reject(new Error(`the encoding ${encoding} is unknown`))
    // Some servers omit the zlib header that "deflate" requires in HTTP. The low half of its first byte is always 8.
    else if ((body.at(0) ?? 0) % 16 === 8) zlib.inflate(body, options, done)
    else zlib.inflateRaw(body, options, done)
  })
}

const faultsByCode: Readonly<Record<string, FaultKind>> = {
  // The end is missing.
  Z_BUF_ERROR: 'lost',
  ERR_BUFFER_TOO_LARGE: 'too-large',
}

/**
 * What an error of `decodeBody` means: the body may be in another encoding than its header says, or in an unknown one.
 */
export function decodingFault(error: unknown): FaultKind {
  return faultsByCode[errorCode(error) ?? ''] ?? 'encoding'
}
