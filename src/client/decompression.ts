import { promisify } from 'node:util'
import { brotliDecompress, inflateRaw, unzip, type ZlibOptions } from 'node:zlib'
import type { Reply } from '../model/exchange.ts'
import { errorCode } from '../platform/errno.ts'
import { TransportFault } from './transport-fault.ts'

/** Real replies have one. Each takes time, and may make a body a thousand times as large. */
const mostEncodings = 5

/**
 * The reply without its compressions, the last of which is removed first. Requests refuse
 * compression, but some servers and proxies compress anyway. A body that is not what its header
 * says stays as it is.
 */
export async function decompressed(
  reply: Reply,
  header: string | string[],
  largestReply: number
): Promise<Reply> {
  const encodings = [header].flat().flatMap(value => value.toLowerCase().split(','))
  if (encodings.length > mostEncodings) {
    throw new TransportFault('encodings', { phase: 'receiving' })
  }
  let { body } = reply
  for (const encoding of encodings.reverse()) {
    body = await decompress(body, encoding.trim(), { maxOutputLength: largestReply })
  }
  return { ...reply, body }
}

async function decompress(
  body: Uint8Array,
  encoding: string,
  options: ZlibOptions
): Promise<Uint8Array> {
  const decoder = decoderOf(encoding, body)
  // If it is empty, nothing was compressed, as some servers do for an empty reply.
  if (decoder === undefined || body.length === 0) return body
  try {
    return await promisify(decoder)(body, options)
  } catch (error) {
    // The end is missing, or there is too much.
    if (['Z_BUF_ERROR', 'ERR_BUFFER_TOO_LARGE'].includes(errorCode(error) ?? '')) throw error
    return body
  }
}

function decoderOf(encoding: string, body: Uint8Array): typeof unzip | undefined {
  switch (encoding) {
    case 'br':
      return brotliDecompress
    case 'gzip':
    case 'x-gzip':
      return unzip
    case 'deflate':
      // Some servers omit the zlib header that "deflate" requires in HTTP. The low half of its first
      // byte is always 8.
      return (body.at(0) ?? 0) % 16 === 8 ? unzip : inflateRaw
    default:
      return undefined
  }
}
