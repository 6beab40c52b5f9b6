'use strict'

// conf loads it, and it answers each signal by one that kills the process, on Windows at once and with
// the exit code 1. This program ends by itself.
module.exports = () => () => {}
