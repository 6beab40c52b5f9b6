import { openStore } from '../../src/settings/store.ts'
import { hostWith } from './host.ts'

/** A program of its own that reads the config, or keeps a key of the given size for the environment that it is given. */
const [directory, name, size = '8'] = process.argv.slice(2)
const store = openStore(hostWith({ PETSTORE_CONFIG_DIR: directory }))
try {
  if (name === undefined) await store.read()
  else {
    const apiKey = 'k'.repeat(Number(size))
    await store.change((state) => ({ ...state, environments: { ...state.environments, [name]: { apiKey } } }))
  }
} catch (error) {
  process.stdout.write(JSON.stringify(error))
  process.exitCode = 9
}
