import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { pictureOf } from '../support/screen-picture.ts'
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
    const picture = pictureOf(screen.replace(/ in [\d.]+ m?s\b/, ' in 40 ms'), columns)
    expect(picture.length).toBeLessThan(60_000)
    await expect(picture).toMatchFileSnapshot(file)
  })
})
