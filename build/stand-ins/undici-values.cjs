'use strict'

// The few values that undici takes from modules which take long to load.
module.exports = {
  // Of node:http: Node's default for the size of a reply's headers, and the class of an incoming
  // request, for which it checks the bodies to send. This program never sends one.
  maxHeaderSize: 16 * 1024,
  IncomingMessage: class {},
  // Of the tables of its parser.
  TYPE: { RESPONSE: 2 },
  ERROR: { OK: 0, PAUSED: 21, PAUSED_UPGRADE: 22 },
  // Of the well-known header names: without them it converts each name that it meets.
  headerNameLowerCasedRecord: { __proto__: null },
  tree: { lookup() {} }
}
