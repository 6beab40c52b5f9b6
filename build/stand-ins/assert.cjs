'use strict'

// A condition that holds needs nothing of node:assert; one that fails gets its message from there.
const assert = (value, ...rest) => {
  if (!value) require('node:assert')(value, ...rest)
}

module.exports = new Proxy(assert, { get: (_, name) => require('node:assert')[name] })
