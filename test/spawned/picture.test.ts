import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { programWords, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const file = fileURLToPath(new URL('../../docs/petstore.svg', import.meta.url))
const columns = 80

const script = `
show() { printf '\\033[1m$ %s\\033[0m\\n' "$*"; "$@"; echo; }
show petstore pets list --status available
show petstore pets get 99
show petstore pets import pets.csv
`

const rows = ['name,categoryId,status', 'Rex,2,available', 'Ina,three,sold', 'Zoe,5,pending', '']

needs('tmux')('the picture at the top of the README', () => {
  test('is what a terminal shows (npm run generate updates it)', async () => {
    const home = temporaryDirectory()
    const bin = join(home, 'bin')
    mkdirSync(bin)
    const petstore = join(bin, 'petstore')
    writeFileSync(petstore, `#!/bin/sh\nexec ${programWords} "$@"\n`)
    chmodSync(petstore, 0o755)
    writeFileSync(join(home, 'pets.csv'), rows.join('\n'))
    await spawnCli(['env', 'use', 'local'], { home })

    const env = { PATH: `${bin}:${process.env.PATH}` }
    const terminal = await openTerminal(['bash', '-c', script], { home, env, columns, rows: 60 })
    expect(await terminal.exitCode()).toBe(0)
    const screen = await terminal.screen({ withEscapes: true })
    const picture = pictureOf(screen.replace(/ in [\d.]+ m?s\b/, ' in 40 ms'))
    await expect(picture).toMatchFileSnapshot(file)
  })
})

const cell = { width: 8.4, height: 19 }
const margin = 16
/** The codes of a terminal, for a light page and for a dark one. */
const colors = {
  31: ['#c4242d', '#ff7b72'],
  32: ['#187733', '#56d364'],
  33: ['#8a6100', '#e3b341'],
  36: ['#0d6e78', '#56d4dd'],
  90: ['#656d76', '#8b949e']
}
const rules = (theme: 0 | 1) =>
  Object.entries(colors)
    .map(([code, shades]) => `.c${code} { fill: ${shades[theme]} }`)
    .join('\n')

/** A screen with the escapes of its colors, as SVG without fonts or scripts. */
function pictureOf(screen: string): string {
  const width = Math.ceil(columns * cell.width + 2 * margin)
  const height = screen.split('\n').length * cell.height + 2 * margin
  const size = `width="${width}" height="${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${size}>
<title>petstore in a terminal: a list, an error with its hint, and an import</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328 }
rect { fill: #f6f8fa }
.c1 { font-weight: bold }
.c2 { opacity: 0.7 }
${rules(0)}
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
rect { fill: #161b22 }
${rules(1)}
}
</style>
<rect ${size} rx="8"/>
${wordsOf(screen).join('\n')}
</svg>
`
}

/** Each word has its own place, because fonts differ in the width of wide characters. */
function wordsOf(screen: string): string[] {
  let row = 0
  let column = 0
  // Behind each escape: its codes, then the text that they are for, which may be of several lines.
  return `0m${screen}`.split('\u001b[').flatMap(part => {
    const [, codes = '', text = ''] = /^([\d;]*)m(.*)$/s.exec(part) ?? []
    const look = codes
      .split(';')
      .map(code => `c${code}`)
      .join(' ')
    return text.split('\n').flatMap((line, index) => {
      if (index > 0) column = 0
      if (index > 0) row += 1
      const start = column
      column += stringWidth(line)
      const y = (margin + (row + 0.75) * cell.height).toFixed(1)
      return [...line.matchAll(/\S+/g)].map(({ 0: word, index }) => {
        const x = (margin + (start + stringWidth(line.slice(0, index))) * cell.width).toFixed(1)
        const escaped = word.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
        return `<text x="${x}" y="${y}" class="${look}">${escaped}</text>`
      })
    })
  })
}
