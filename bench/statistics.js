/**
 * @param {readonly number[]} values
 * @param {number} share
 */
export function quantile(values, share) {
  return (
    values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ??
    Number.NaN
  )
}

/** @param {readonly number[]} values */
export const median = values => quantile(values, 0.5)

/**
 * A table in Markdown.
 *
 * @param {readonly string[]} header
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function printTable(header, rows) {
  const widths = header.map((title, index) =>
    Math.max(title.length, ...rows.map(row => String(row[index]).length))
  )
  const line = (/** @type {readonly (string | number)[]} */ cells) =>
    `| ${cells.map((cell, index) => String(cell).padEnd(widths[index] ?? 0)).join(' | ')} |`
  console.log(line(header))
  console.log(`| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`)
  for (const row of rows) console.log(line(row))
}
