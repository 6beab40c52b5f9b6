'use strict'

// Emits a deprecation warning while the program runs, as an outdated library may do.
setTimeout(() => process.emitWarning('this is old', 'DeprecationWarning', 'DEP9999'), 20)
