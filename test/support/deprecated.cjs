'use strict'

// A deprecation while the program runs, as an outdated library may cause.
setTimeout(() => process.emitWarning('this is old', 'DeprecationWarning', 'DEP9999'), 20)
