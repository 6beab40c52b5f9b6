import Conf from 'conf'

/**
 * Sets an environment's base URL like `petstore env set`, but with plain conf, to show that the tests detect its
 * faults.
 */
const [directory, name, url] = process.argv.slice(2) as [string, string, string]
try {
  const conf = new Conf({ cwd: directory, configName: 'config', configFileMode: 0o600 })
  conf.set(`environments.${name}.baseUrl`, url)
} catch (error) {
  process.stderr.write(`${error}\n`)
  process.exitCode = 9
}
