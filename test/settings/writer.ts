import { storeWith } from './host.ts'

/** A program that reads the config file or, given the name of an environment, saves a key of the given size for it. */
const [directory, name, size = '8'] = process.argv.slice(2)
const store = storeWith({ PETSTORE_CONFIG_DIR: directory })
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
