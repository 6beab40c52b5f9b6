'use strict'

// undici's lists of well-known header names and their lower case. Without them it converts each
// name that it meets.
module.exports = {
  headerNameLowerCasedRecord: Object.create(null),
  tree: { lookup: () => undefined }
}
