'use strict'

// Loads node:assert only for a condition that fails, to get its message.
const assert = (value, ...rest) => {
  if (!value) require('node:assert')(value, ...rest)
}

module.exports = new Proxy(assert, { get: (_, name) => require('node:assert')[name] })
