/**
 * The parts of undici that this program uses, from undici's internal modules. Its index also loads
 * fetch, WebSocket, caches and mocks, and makes `pets list` 30 ms slower. The sources import from
 * 'undici', which has the types.
 */
import './wasm-tiering.js'

export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
