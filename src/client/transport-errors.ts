import { ProxyError } from '../model/proxy.ts'
import { errorCode } from '../platform/system-error.ts'
import type { FaultKind, FaultStage } from './transport-fault.ts'

const kindsByCode = new Map<string, FaultKind>([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns-temporary'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'too-large'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'too-large'],
  // Its length and its framing contradict each other; a body that is cut short comes as a lost connection.
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'not-http'],
  ['UND_ERR_INVALID_ARG', 'unsendable'],
  ['ERR_INVALID_URL', 'unsendable'],
  ['ERR_INVALID_CHAR', 'unsendable'],
])

/** Codes of OpenSSL and of Node's tls have these beginnings, EPROTO among them. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_MISMATCH|EPROTO)/

/** What an error of undici, or of Node below it, means for an attempt that had come this far. */
export function faultKindOf(error: unknown, stage: FaultStage): FaultKind {
  if (error instanceof ProxyError) {
    if (error.status !== undefined) return error.status === 407 ? 'proxy-login' : 'proxy'
    return faultKindOf(error.cause, 'connecting')
  }
  const { name, code, data } = fieldsOf(error)
  // An error without data in it comes from the end of the connection and not from something that was read.
  if (name === 'HTTPParserError') return data === '' || data === undefined ? 'lost' : 'not-http'

  const kind = kindsByCode.get(code)
  if (kind !== undefined) return kind
  if (stage !== 'connecting') return 'lost'
  if (tlsCode.test(code)) return 'tls'
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET' ? 'reset' : 'unreachable'
}

function fieldsOf(error: unknown): { name: string; code: string; data: unknown } {
  if (!(error instanceof Error)) return { name: '', code: '', data: undefined }
  return { name: error.name, code: errorCode(error) ?? '', data: 'data' in error ? error.data : undefined }
}
