/**
 * Builds `dist` when it is not what the sources say, and else does nothing: npm runs this at each `npx petstore`
 * inside a clone. It is silent on stdout, which belongs to the command that is about to run.
 */
import { isFresh, sourcesHash, writeDist } from './dist.js'

const hash = sourcesHash()

if (process.argv.includes('--always') || !isFresh(hash)) {
  // Late: a machine without the development tools can still run a build that is fresh.
  const { bundle } = await import('./bundle.js')
  writeDist(hash, await bundle())
}
