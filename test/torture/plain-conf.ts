import Conf from 'conf'

/**
 * What this program would be with conf as it comes: it sets one environment's address, as `petstore env set` does. The
 * tests beside it run it too, to see that they would find out.
 */
const [directory, name, url] = process.argv.slice(2) as [string, string, string]
try {
  const conf = new Conf({ cwd: directory, configName: 'config', configFileMode: 0o600 })
  conf.set(`environments.${name}.baseUrl`, url)
} catch (error) {
  process.stderr.write(`${error}\n`)
  process.exitCode = 9
}
