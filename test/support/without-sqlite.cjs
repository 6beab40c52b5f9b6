'use strict'

// Required before the program: simulates a Node that was built without SQLite.
const { getBuiltinModule } = process
process.getBuiltinModule = name => (name === 'node:sqlite' ? undefined : getBuiltinModule(name))
