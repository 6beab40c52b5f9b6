/**
 * What this program uses of undici, from undici's own deeper modules: its index would load fetch, WebSocket, caches and
 * mocks as well, 30 ms of them. The sources import from 'undici', where the types are.
 */
import './wasm-tiering.js'

export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
