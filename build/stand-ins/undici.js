// The whole of undici takes 30 ms more to load.
export { default as Agent } from 'undici/lib/dispatcher/agent.js'

// After undici, which then loads 2 ms faster on Node 20.
import './wasm-tiering.js'
