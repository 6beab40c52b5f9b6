'use strict'

/**
 * Fails every name lookup with the code in PETSTORE_TEST_LOOKUP, or never answers if that is `silence`.
 *
 * @param {string} hostname
 * @param {unknown} _options
 * @param {(error: Error) => void} callback
 */
function lookup(hostname, _options, callback) {
  const code = process.env.PETSTORE_TEST_LOOKUP
  if (code === 'silence') {
    setInterval(() => {}, 1000)
    return
  }
  const error = Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), {
    code,
    syscall: 'getaddrinfo',
    hostname
  })
  process.nextTick(callback, error)
}

Object.assign(require('node:dns'), { lookup })
