/**
 * The newest section of the changelog: what a release says about itself.
 *
 * @param {string} changelog
 */
export function newestSection(changelog) {
  const [, heading = '', text = ''] = changelog.split(/^## (.*)\n/m)
  const [, version, date] = /^(\S+) \((.+)\)$/.exec(heading) ?? []
  if (version === undefined || date === undefined)
    throw new Error(`'## ${heading}' in the changelog is not a version with its date`)
  return { version, date: new Date(`${date} UTC`), text: text.trim() }
}
