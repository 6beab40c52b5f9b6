'use strict'

// The parts of node:http that undici uses: Node's default for the size of a reply's headers, and
// the class of an incoming request, for which it checks the bodies to send. This program never
// sends one.
module.exports = { maxHeaderSize: 16 * 1024, IncomingMessage: class {} }
