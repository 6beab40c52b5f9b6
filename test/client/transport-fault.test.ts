import { describe, expect, test } from 'vitest'
import {
  type AttemptPhase,
  type FaultKind,
  faultKindOf,
  faultSentence,
  faultTable,
  ProxyError,
  TransportFault
} from '../../src/client/transport-fault.ts'
import type { RequestStage } from '../../src/failure.ts'

const withCode = (code?: string) => Object.assign(new Error('x'), { code })
const proxy = {
  origin: 'http://proxy.example:3128',
  hostname: 'proxy.example',
  variable: 'HTTPS_PROXY'
}

describe('faultKindOf', () => {
  test.each<[code: string, stage: AttemptPhase, kind: FaultKind]>([
    ['ENOTFOUND', 'connecting', 'dns'],
    ['EAI_AGAIN', 'connecting', 'dns-temporary'],
    ['ECONNREFUSED', 'connecting', 'refused'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connecting', 'timeout'],
    ['ECONNRESET', 'connecting', 'reset'],
    ['ECONNRESET', 'waiting', 'lost'],
    ['EHOSTUNREACH', 'connecting', 'unreachable'],
    ['EMFILE', 'connecting', 'no-descriptors'],
    ['ENFILE', 'connecting', 'no-system-descriptors'],
    ['ENOMEM', 'connecting', 'no-memory'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connecting', 'self-signed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'connecting', 'unknown-authority'],
    ['CERT_HAS_EXPIRED', 'connecting', 'expired-certificate'],
    ['CERT_NOT_YET_VALID', 'connecting', 'early-certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'connecting', 'other-host'],
    ['CERT_UNTRUSTED', 'connecting', 'tls'],
    // The same alerts have different names in OpenSSL 3.0 and 3.5.
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'connecting', 'tls'],
    ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'connecting', 'tls'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'waiting', 'client-certificate'],
    ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'waiting', 'client-certificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'waiting', 'client-certificate'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'waiting', 'client-certificate'],
    ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'waiting', 'client-certificate'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'waiting', 'client-certificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'receiving', 'tls'],
    ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'waiting', 'tls'],
    ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'receiving', 'tls'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'receiving', 'not-http'],
    ['UND_ERR_HEADERS_OVERFLOW', 'waiting', 'too-large'],
    ['ERR_INVALID_CHAR', 'connecting', 'unsendable']
  ])('%s while %s: %s', (code, phase, kind) => {
    expect(faultKindOf(withCode(code), phase)).toBe(kind)
  })

  test('finds the kind of an error inside a ProxyError or a TransportFault', () => {
    const alert = withCode('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE')
    const required = new TransportFault('client-certificate', { phase: 'connecting', cause: alert })
    expect(faultKindOf(required, 'connecting')).toBe('client-certificate')
    expect(faultKindOf(new ProxyError(proxy, { cause: required }), 'connecting')).toBe(
      'client-certificate'
    )
    const refused = new ProxyError(proxy, { cause: withCode('ECONNREFUSED') })
    expect(faultKindOf(refused, 'connecting')).toBe('refused')
    expect(faultKindOf(new ProxyError(proxy, { status: 407 }), 'connecting')).toBe('proxy-login')
    expect(faultKindOf(new ProxyError(proxy, { status: 403 }), 'connecting')).toBe('proxy')
  })
})

test.each<[kind: FaultKind, phase: AttemptPhase, stage: RequestStage | undefined, cause?: Error]>([
  ['dns', 'connecting', 'name lookup'],
  ['refused', 'connecting', 'connection'],
  ['timeout', 'connecting', 'connection'],
  ['lookup-timeout', 'connecting', 'name lookup'],
  ['refused', 'connecting', 'proxy', new ProxyError(proxy)],
  ['proxy-login', 'connecting', 'proxy', new ProxyError(proxy, { status: 407 })],
  ['expired-certificate', 'connecting', 'TLS'],
  ['tls', 'waiting', 'TLS'],
  ['timeout', 'waiting', 'reply'],
  ['lost', 'receiving', 'reply'],
  ['no-memory', 'connecting', undefined]
])('a fault of kind %s while %s is in the stage %s', (kind, phase, stage, cause) => {
  expect(new TransportFault(kind, { phase, cause }).stage).toBe(stage)
})

test('ulimit is a hint only if the limit is that of the process', () => {
  const hintFor = (code: string) => {
    const cause = withCode(code)
    const fault = new TransportFault(faultKindOf(cause, 'connecting'), {
      phase: 'connecting',
      cause
    })
    return faultTable[fault.kind].hint
  }
  expect(hintFor('EMFILE')).toBe('ulimit -n 1024')
  expect(hintFor('ENFILE')).toBeUndefined()
})

test.each<[code: string | undefined, phase: AttemptPhase, message: string]>([
  [undefined, 'connecting', 'https://pets.example cannot be reached'],
  [
    'CERT_HAS_EXPIRED',
    'connecting',
    'no secure connection to https://pets.example: its certificate has expired'
  ],
  ['EPROTO', 'connecting', 'no secure connection to https://pets.example: it does not speak TLS'],
  ['EPROTO', 'waiting', 'the secure connection to https://pets.example failed (EPROTO)'],
  [
    'ERR_SSL_SOMETHING_NEW',
    'connecting',
    'no secure connection to https://pets.example: the handshake failed (ERR_SSL_SOMETHING_NEW)'
  ]
])('the message for %s while %s', (code, phase, message) => {
  const cause = withCode(code)
  const fault = new TransportFault(faultKindOf(cause, phase), { phase, cause })
  expect(faultSentence(fault, 'https://pets.example/v1')).toBe(message)
})

test.each<[kind: FaultKind, message: string]>([
  ['dns', 'there is no host named proxy.example, the proxy in HTTPS_PROXY'],
  ['refused', 'the proxy http://proxy.example:3128 refused the connection'],
  [
    'timeout',
    'no connection to https://pets.example through the proxy http://proxy.example:3128 within 7 s'
  ]
])('the message for %s at a proxy names the proxy', (kind, message) => {
  const fault = new TransportFault(kind, {
    phase: 'connecting',
    seconds: 7,
    cause: new ProxyError(proxy)
  })
  expect(faultSentence(fault, 'https://pets.example/v1')).toBe(message)
})
