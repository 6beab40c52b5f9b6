import './wasm-tiering.js'

// The whole of undici takes 30 ms more to load.
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js'

import connect from 'undici/lib/api/api-connect.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'

// With it, a ProxyAgent asks for tunnels.
Dispatcher.prototype.connect = connect
