'use strict'

module.exports = () => {
  throw new Error('this part of undici is not in the build')
}
