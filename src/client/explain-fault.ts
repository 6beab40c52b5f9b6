import { errorCode, ProxyError } from '../model/proxy.ts'
import { inWords } from './retry-after.ts'
import type { FaultKind, TransportFault } from './transport-fault.ts'

/** What went wrong on the wire, for people. */
export function faultSentence({ kind, started, seconds = 0, cause }: TransportFault, url: string): string {
  const { origin, hostname } = new URL(url)
  const { proxy, status } = cause instanceof ProxyError ? cause : {}
  const target = proxy === undefined ? origin : `the proxy ${proxy.origin}`
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.origin}`
  const code = errorCode(cause)
  const detail = code === '' ? '' : ` (${code})`
  const within = seconds === 0 ? 'in time' : `within ${inWords(seconds)}`
  const sentences: Record<FaultKind, string> = {
    refused: `${target} refused the connection`,
    reset: `${target} reset the connection before the request was sent`,
    timeout: started
      ? `no whole reply came from ${origin} ${within}`
      : `no connection to ${origin}${through} came about ${within}`,
    dns: `there is no host named ${proxy?.hostname ?? hostname}`,
    'dns-temporary': `the name ${proxy?.hostname ?? hostname} can't be looked up at the moment`,
    tls: `there is no secure connection to ${target}: ${certificateFaults[code] ?? `the handshake failed${detail}`}`,
    proxy: `${target} refused to connect to ${origin} (${status})`,
    'proxy-login': `${target} wants a user name and a password (407)`,
    unreachable: `${target} can't be reached${detail}`,
    lost: `the connection to ${origin} was lost before the whole reply had come`,
    'not-http': `${target} answered with something that is not HTTP`,
    'too-large': `the reply of ${target} is larger than this program takes`,
    encoding: `the reply of ${origin} is compressed although that was not asked for`,
    unsendable: `the request to ${origin} can't be sent${detail}`,
    aborted: 'interrupted',
  }
  return sentences[kind]
}

const unknownAuthority = 'its certificate is from an authority that this machine does not know'
const noTls = 'it does not speak TLS'
const otherTls = 'it speaks no version of TLS that is still safe'

/** By the code of the error: what follows "there is no secure connection to HOST". */
const certificateFaults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody but itself',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: noTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: otherTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: otherTls,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'it accepts none of the ciphers of this machine',
}
