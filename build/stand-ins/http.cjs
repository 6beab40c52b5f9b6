'use strict'

// undici wants two things of node:http: Node's default for the size of a reply's headers, and the class of a body that
// is itself a request which came in. This program sends no such body.
module.exports = { maxHeaderSize: 16 * 1024, IncomingMessage: class {} }
