/** Replaces the parts of a screen that differ between runs and machines. */
export function normalizeScreen(text: string, home: string): string {
  return withoutRandomName(text, home)
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/\d\d:\d\d:\d\d|\d\d:[\d:]*(?=…)/g, '<clock>')
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waiting/g, '⠋ waiting')
    .replace(/\d+\.\d+\.\d+ on \w+ \w+/g, '<version> on <system>')
    .replace(/(✓ petstore +)[\d.]+/g, '$1<version>')
    .replace(/\d+(\.\d+)? (ms|s)\b/g, '<time>')
    .replace(/ \([\d,]+ rows? per second\)/g, ' (<rate> rows per second)')
    .replace(/-[\da-f]{12}(-[\da-f]{8})?\.journal/g, '-<id>.journal')
}

/**
 * Replaces the random end of a temporary directory, even if a table cell wraps in the middle of it.
 */
function withoutRandomName(text: string, directory: string): string {
  const random = /[^-]*$/.exec(directory)?.[0] ?? ''
  let replaced = text
  for (let length = random.length; length >= 0; length -= 1) {
    const [first, second] = [random.slice(0, length), random.slice(length)]
    replaced = replaced
      .replace(new RegExp(`(?<=t-)${first}(?=\\s|$)`, 'gm'), 'X'.repeat(first.length))
      .replace(new RegExp(`(?<=^|\\s|-)${second}(?=/)`, 'gm'), 'X'.repeat(second.length))
  }
  return replaced
}

/** Joins screens into one file, each under its heading. */
export function joinScreens(screens: Readonly<Record<string, string>>): string {
  return Object.entries(screens)
    .map(([heading, screen]) => `${'='.repeat(8)} ${heading}\n\n${screen}\n`)
    .join('\n')
}
