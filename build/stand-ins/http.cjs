'use strict'

// What undici takes from node:http: Node's default for the size of a reply's headers, and the class of an incoming
// request, which it looks for among the bodies to send. This program never sends one.
module.exports = { maxHeaderSize: 16 * 1024, IncomingMessage: class {} }
