import { fileURLToPath } from 'node:url'

/**
 * What libraries import although this program does not need it, and what takes its place: only what
 * gains about 5 ms.
 */
const replacements = [
  // It runs subcommands that are separate programs; there are none.
  { library: 'commander', imports: /^node:child_process$/, by: 'absent' },
  // Proxies are a quarter of undici, and few runs use one.
  { library: 'proxy-agent.ts', imports: /^undici$/, by: 'undici-proxies' },
  // It checks its own state with it: 5 ms of `pets list` on Node 20.
  { library: 'undici', imports: /^node:assert$/, by: 'assert' },
  // It speaks HTTP/2, and loads node:http2, tls and crypto: 15 ms of `pets list`.
  { library: 'undici', imports: /\/client-h2\.js$/, by: 'absent' },
  // It sends forms, with all of fetch, a third of the code of undici.
  { library: 'undici', imports: /\/web\/fetch\/body\.js$/, by: 'absent' },
  // Of Node's whole client and server, the tables of HTTP and a tree of header names it uses a few
  // values. The last two are 5 ms of `pets list` on Node 20.
  {
    library: 'undici',
    imports: /^node:http$|\/llhttp\/constants\.js$|^\.\/(constants|tree)$/,
    by: 'undici-values'
  }
]

/** A plugin that replaces these modules, and fails if a library no longer imports one of them. */
export function lean() {
  const unused = new Set(replacements)
  return {
    name: 'lean',
    /**
     * @param {string} specifier
     * @param {string} [importer]
     */
    resolveId(specifier, importer = '') {
      const replacement = replacements.find(
        ({ library, imports }) =>
          imports.test(specifier) && importer.split(/[\\/]/).includes(library)
      )
      if (replacement === undefined) return undefined
      unused.delete(replacement)
      return fileURLToPath(new URL(`stand-ins/${replacement.by}.cjs`, import.meta.url))
    },
    buildEnd() {
      const [missed] = unused
      if (missed) throw new Error(`build/lean.js is out of date: nothing imports ${missed.imports}`)
    }
  }
}
