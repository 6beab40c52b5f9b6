'use strict'

// Assertions that hold need none of node:assert; one that fails has its words from there.
const assert = (value, ...rest) => {
  if (!value) require('node:assert')(value, ...rest)
}

module.exports = new Proxy(assert, { get: (_, name) => require('node:assert')[name] })
