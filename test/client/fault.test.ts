import { describe, expect, test } from 'vitest'
import {
  codeOf,
  type FaultKind,
  type FaultStage,
  faultKindOf,
  ProxyError,
  TransportFault,
} from '../../src/client/fault.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })
const proxy = { origin: 'http://proxy.example:3128', hostname: 'proxy.example', variable: 'HTTPS_PROXY' }

describe('faultKindOf', () => {
  test.each<[code: string, stage: FaultStage, kind: FaultKind]>([
    ['ECONNREFUSED', 'connecting', 'refused'],
    ['ECONNRESET', 'connecting', 'reset'],
    ['ECONNRESET', 'waiting', 'lost'],
    ['EHOSTUNREACH', 'connecting', 'unreachable'],
    ['EMFILE', 'connecting', 'no-descriptors'],
    ['ENOMEM', 'connecting', 'no-memory'],
    ['CERT_HAS_EXPIRED', 'connecting', 'tls'],
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
  ])('%s while %s: %s', (code, stage, kind) => {
    expect(faultKindOf(withCode(code), stage)).toBe(kind)
  })

  test('finds the kind of an error inside a ProxyError or a TransportFault', () => {
    const alert = withCode('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE')
    const required = new TransportFault('client-certificate', { stage: 'connecting', cause: alert })
    expect(faultKindOf(required, 'connecting')).toBe('client-certificate')
    expect(faultKindOf(new ProxyError(proxy, { cause: required }), 'connecting')).toBe('client-certificate')
    const refused = new ProxyError(proxy, { cause: withCode('ECONNREFUSED') })
    expect(faultKindOf(refused, 'connecting')).toBe('refused')
    expect(codeOf(refused)).toBe('ECONNREFUSED')
    expect(faultKindOf(new ProxyError(proxy, { status: 407 }), 'connecting')).toBe('proxy-login')
    expect(faultKindOf(new ProxyError(proxy, { status: 403 }), 'connecting')).toBe('proxy')
  })
})
