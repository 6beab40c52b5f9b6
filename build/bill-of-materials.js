/**
 * The bill of materials in CycloneDX 1.6: every package in the bundle, the parts compiled into
 * them, and what npm installs with it. In the standalone executable, Node takes the place of the
 * latter.
 *
 * @param {PackageName} program
 * @param {readonly import('./notices.js').Package[]} inside
 * @param {readonly PackageName[]} beside
 */
export function billOfMaterials(program, inside, beside) {
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component(program), type: 'application' } },
    components: [
      ...inside.map(one => {
        const parts = one.parts.map(({ name }) => ({ type: 'library', name }))
        return { ...component(one), ...(parts.length > 0 && { components: parts }) }
      }),
      ...beside.map(one => ({ ...component(one), scope: 'optional' }))
    ]
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** @typedef {{ name: string, version: string, license: string }} PackageName */

/**
 * The packages that npm installs with the program.
 *
 * @param {{ packages: Readonly<Record<string, PackageName & { dev?: boolean }>> }} lockfile
 * @returns {PackageName[]}
 */
export function packagesBeside(lockfile) {
  return Object.entries(lockfile.packages).flatMap(([path, { version, license, dev }]) => {
    const name = path.replace(/^.*node_modules\//, '')
    return path === '' || dev ? [] : [{ name, version, license }]
  })
}

/** @param {PackageName} subject */
function component({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  // An expression combines several licenses.
  const licenses = license.includes(' ')
    ? [{ expression: license }]
    : [{ license: { id: license } }]
  return { type: 'library', 'bom-ref': purl, name, version, licenses, purl }
}
