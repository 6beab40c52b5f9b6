import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Sqlite } from '../../src/system/sqlite.ts'
import { needs, withOwnMounts } from '../support/needs.ts'
import { cleanEnvironment, programCommand } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Runs a command where only some pages are free, then again where there is space. */
const script = `
  mount -t tmpfs -o size=8m tmpfs "$DISK"
  dd if=/dev/zero of="$DISK/filler" bs=4k status=none 2>&-
  truncate -s "-$((FREE * 4096))" "$DISK/filler"
  "$@"; echo $? >"$OUT/code-1"
  rm "$DISK/filler"; cp -r "$DISK" "$OUT/disk-1"
  "$@"; echo $? >"$OUT/code-2"
  cp -r "$DISK" "$OUT/disk-2"`

/** The exit code and the new pets of the local service, after each of the two runs. */
function runTwice(free: number, argv: readonly string[]) {
  const [DISK, OUT] = [temporaryDirectory(), temporaryDirectory()]
  const env = cleanEnvironment(OUT, { PETSTORE_CONFIG_DIR: DISK, DISK, OUT, FREE: String(free) })
  const [command = '', ...rest] = [...withOwnMounts, 'bash', '-c', script, '-', ...programCommand]
  spawnSync(command, [...rest, ...argv, '--env', 'local'], { env })
  return ['1', '2'].map(run => {
    const code = Number(readFileSync(join(OUT, `code-${run}`), 'utf8'))
    return { code, names: newPetsIn(join(OUT, `disk-${run}`, 'local.db')) }
  })
}

function newPetsIn(path: string): string[] {
  if (!existsSync(path)) return []
  const sqlite = new Sqlite(path)
  expect(sqlite.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  const hasPets = sqlite.rows("SELECT 1 FROM sqlite_schema WHERE name = 'pets'").length > 0
  const sql = "SELECT name FROM pets WHERE name LIKE 'New%' ORDER BY name"
  const rows = hasPets ? sqlite.rows<{ name: string }>(sql) : []
  sqlite.close()
  return rows.map(({ name }) => name)
}

needs('unshare', 'a mount namespace')('on a full disk', () => {
  test.each([0, 1, 2, 3, 5, 8, 13, 21])(
    'with %d free pages a pet is added or not, as the exit code says',
    free => {
      const [first, second] = runTwice(free, ['pets', 'add', '--name', 'New', '--category-id', '1'])
      expect([
        { code: 0, names: ['New'] },
        { code: 9, names: [] }
      ]).toContainEqual(first)
      expect(second).toEqual({ code: 0, names: ['New', ...(first?.names ?? [])] })
    }
  )

  test.each([0, 3, 8, 21, 55, 144, 233])(
    'with %d free pages an import adds each row once in the end',
    free => {
      const file = join(temporaryDirectory(), 'pets.csv')
      const names = Array.from({ length: 300 }, (_, row) => `New ${row}`).sort()
      writeFileSync(file, `name,categoryId\n${names.map(name => `${name},1\n`).join('')}`)
      const [first, second] = runTwice(free, ['pets', 'import', file])
      expect([0, 9]).toContain(first?.code)
      expect(second).toEqual({ code: 0, names })
    }
  )
})
