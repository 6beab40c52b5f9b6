import type { Endpoint } from '../model/endpoint.ts'
import { duration } from '../model/quantities.ts'
import { codeOf, type FaultKind, ProxyError, type TransportFault } from './fault.ts'
import type { Call } from './operations.ts'

/** The message for a network fault. */
export function faultSentence({ kind, isStarted, head, seconds = 0, cause }: TransportFault, url: string): string {
  const { origin, hostname } = new URL(url)
  const { proxy, status } = cause instanceof ProxyError ? cause : {}
  const target = proxy === undefined ? origin : `the proxy ${proxy.origin}`
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.origin}`
  const name = proxy === undefined ? hostname : `${proxy.hostname}, the proxy in ${proxy.variable}`
  const code = codeOf(cause)
  const detail = code === '' ? '' : ` (${code})`
  const within = seconds === 0 ? 'in time' : `within ${duration(seconds)}`
  const sentences: Record<FaultKind, string> = {
    refused: `${target} refused the connection`,
    reset: `${target} reset the connection before the request was sent`,
    timeout: isStarted
      ? `no complete reply from ${origin} ${within}`
      : `no connection to ${origin}${through} ${within}`,
    dns: `there is no host named ${name}`,
    'dns-temporary': `the name ${name} cannot be resolved right now`,
    tls: isStarted
      ? `the secure connection to ${target} failed${detail}`
      : `no secure connection to ${target}: ${tlsProblems[code] ?? `the handshake failed${detail}`}`,
    'client-certificate': `${target} requires a client certificate, which petstore does not support`,
    proxy: `${target} ${isStarted ? 'got no reply from' : 'refused to connect to'} ${origin} (${status})`,
    'proxy-login': `${target} requires a user name and a password (407)`,
    unreachable: `${target} cannot be reached${detail}`,
    lost: `the connection to ${origin} was lost before the reply was complete`,
    'not-http': `${target} sent a reply that is not HTTP`,
    'too-large': `the reply from ${target} is too large`,
    encoding: `the reply from ${origin} cannot be decoded (content-encoding: ${head?.headers['content-encoding']})`,
    'no-descriptors': `this machine has no file descriptor left for a connection${detail}`,
    'no-memory': `this machine has too little memory for a connection${detail}`,
    'no-webassembly': 'Node runs without WebAssembly, which requests need',
    unsendable: `the request to ${origin} cannot be sent${detail}`,
    aborted: 'interrupted',
  }
  return sentences[kind]
}

const unknownAuthority = 'its certificate is from an authority that this machine does not trust'
const noTls = 'it does not speak TLS'
const noCipher = 'it has no cipher in common with this machine'
const otherTls = 'it supports only outdated versions of TLS'

/** By error code: the text that follows "no secure connection to HOST". */
const tlsProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
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
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'it does not speak HTTP/1.1',
  ERR_SSL_UNSUPPORTED_PROTOCOL: otherTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: otherTls,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noCipher,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': noCipher,
}

/** The message for a status other than a success. `target` is where a redirect leads: `to https://…`. */
export function statusSentence(status: number, call: Call, endpoint: Endpoint, target = 'elsewhere'): string {
  const place = placeOf(call, endpoint)
  if (status === 401 || status === 403) return `${endpoint.describeKey} was refused by ${place} (${status})`
  if (status === 404 || status === 410) return `${call.absence} at ${endpoint.placeName ?? endpoint.url} (${status})`
  if (status === 429) return `${place} accepts no more requests right now (429)`
  if (status >= 400 && status <= 499) return `the service refused to ${call.task} at ${place} (${status})`
  if (status === 501) return `${place} does not support this request (501)`
  if (status === 503) return `${place} is overloaded or down (503)`
  if (status >= 500 && status <= 599) return `the service failed at ${place} (${status})`
  if (status >= 300 && status <= 399 && status !== 304) {
    return `${place} redirects ${target}; redirects are not followed (${status})`
  }
  return `${place} replied with an unexpected status (${status})`
}

/** The URL of a request, without the query, which does not matter here. */
export function placeOf({ path }: Call, { url, placeName }: Endpoint): string {
  return placeName ?? `${url}${withoutQuery(path)}`
}

export function withoutQuery(path: string): string {
  return path.replace(/\?.*$/, '')
}
