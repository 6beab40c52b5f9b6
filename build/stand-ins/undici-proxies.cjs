'use strict'

const connect = require('undici/lib/api/api-connect.js')
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js')
const Pool = require('undici/lib/dispatcher/pool.js')
const ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js')

// With it, a ProxyAgent asks for tunnels.
Dispatcher.prototype.connect = connect

module.exports = { Pool, ProxyAgent }
