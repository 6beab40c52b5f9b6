'use strict'

// A part of a library that is not in the build.
module.exports = () => {
  throw new Error('this part is not in the build')
}
