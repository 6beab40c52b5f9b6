'use strict'

/**
 * Answers every look-up of a name as PETSTORE_TEST_LOOKUP says, and none where it says silence.
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
  const error = Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, syscall: 'getaddrinfo', hostname })
  process.nextTick(callback, error)
}

Object.assign(require('node:dns'), { lookup })
