import './wasm-tiering.js'

export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js'

import apiRequest from 'undici/lib/api/api-request.js'
import decompress from 'undici/lib/interceptor/decompress.js'
export const interceptors = { decompress }
export const request = (url, options) => {
  const { origin, pathname, search } = new URL(url)
  return apiRequest.call(options.dispatcher, { ...options, origin, path: `${pathname}${search}` })
}
