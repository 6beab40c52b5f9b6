import { fileURLToPath } from 'node:url'

/**
 * What undici imports although this program does not need it, and what takes its place: only what
 * gains `pets list` 5 ms.
 */
const replacements = [
  // It speaks HTTP/2, and loads node:http2, tls and crypto: 15 ms.
  { imports: /\/client-h2\.js$/, by: 'absent' },
  // It sends forms, with all of fetch, a third of the code of undici: 5 ms on Node 20.
  { imports: /\/web\/fetch\/body\.js$/, by: 'absent' },
  // Of Node's whole client and server, undici reads one number and one class: 6 ms on Node 20.
  { imports: /^node:http$/, by: 'http' }
]

/** A plugin that replaces these modules, and fails if undici no longer imports one of them. */
export function lean() {
  const unused = new Set(replacements)
  return {
    name: 'lean',
    /**
     * @param {string} specifier
     * @param {string} [importer]
     */
    resolveId(specifier, importer = '') {
      if (!/[\\/]node_modules[\\/]undici[\\/]/.test(importer)) return undefined
      const replacement = replacements.find(({ imports }) => imports.test(specifier))
      if (replacement === undefined) return undefined
      unused.delete(replacement)
      return fileURLToPath(new URL(`stand-ins/${replacement.by}.cjs`, import.meta.url))
    },
    buildEnd() {
      const names = [...unused].map(({ imports }) => imports.source)
      if (unused.size > 0) throw new Error(`undici no longer imports ${names.join(', ')}`)
    }
  }
}
