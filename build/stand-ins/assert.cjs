'use strict'

// Node's own opens stderr, to find out about its colors.
module.exports = (isTrue, message = 'undici is in a wrong state') => {
  if (!isTrue) throw message instanceof Error ? message : new Error(message)
}
