/**
 * The bill of materials in CycloneDX 1.6: every package in the bundle, the parts compiled into them, and, in the
 * standalone executable, Node.
 *
 * @param {{ name: string, version: string, license: string }} program
 * @param {readonly import('./notices.js').Package[]} packages
 */
export function billOfMaterials(program, packages) {
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component(program), type: 'application' } },
    components: packages.map((one) => {
      const parts = one.parts.map(({ name }) => ({ type: 'library', name }))
      return { ...component(one), ...(parts.length > 0 && { components: parts }) }
    }),
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** @param {{ name: string, version: string, license: string }} subject */
function component({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  // An expression combines several licenses.
  const licenses = license.includes(' ')
    ? [{ expression: license }]
    : [{ license: { id: license } }]
  return { type: 'library', 'bom-ref': purl, name, version, licenses, purl }
}
