import './wasm-tiering.js'

// The whole of undici takes 30 ms more to load.
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
