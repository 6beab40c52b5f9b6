import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Machine, openMachine } from './machine.ts'
import type { Row } from './model.ts'
import type { Run } from './outcomes.ts'
import { openShelter, type Shelter } from './shelter.ts'

/** What people do with files. With keys, the environment is set --idempotent. */
interface Scene {
  readonly shelter: Shelter
  readonly machine: Machine
  /** New pets, with few names and categories, as real pets have. */
  readonly pets: (count: number) => Row[]
  /** Pets of other names and categories. */
  readonly others: (count: number) => Row[]
}

type Story = readonly [about: string, happens: (scene: Scene) => Promise<void>]

/** Reproducible. */
function petMaker(letter: string, firstCategory: number) {
  let seed = 55_433
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return Math.floor((seed / 2_147_483_647) * limit)
  }
  const pet = (): Row => [
    `${letter}${below(200)}`,
    `${firstCategory + below(4)}`,
    below(5) < 4 ? 'available' : 'sold'
  ]
  return (count: number) => Array.from({ length: count }, pet)
}

const at = (rows: readonly Row[], index: number) => rows[index] as Row
const edited = (rows: readonly Row[], index: number, edit: (row: Row) => Row) =>
  rows.with(index, edit(at(rows, index)))
const renamed = ([name, category, status]: Row): Row => [`${name}x`, category, status]
const moved = ([name, category, status]: Row): Row => [name, `${Number(category) + 10}`, status]
const sold = ([name, category, status]: Row): Row => [
  name,
  category,
  status === 'sold' ? 'available' : 'sold'
]
const sorted = (rows: readonly Row[]) =>
  rows.toSorted((one, other) => (one.join() < other.join() ? -1 : 1))
const bad = (number: number): Row => [`bad ${number}`, '1', 'available']
const linesOf = ({ outcomes }: Run, kind: string) =>
  outcomes.filter(({ outcome }) => outcome === kind).map(({ line }) => line)

/** Decides for the rows in doubt as a person does who looks at the service. */
async function settle({ shelter, machine }: Scene, name: string, rows: Row[], run: Run) {
  const doubtful = linesOf(run, 'doubtful')
  if (doubtful.length === 0) return
  const names = [...shelter.pets().values()].map(([name]) => name)
  const isThere = (line: number) => names.includes(at(rows, line - 2)[0])
  const [there, missing] = [doubtful.filter(isThere), doubtful.filter(line => !isThere(line))]
  const skip = there.length > 0 ? ['--skip', there.join()] : []
  const add = missing.length > 0 ? ['--add', missing.join()] : []
  const settled = await machine.imports(name, rows, ...skip, ...add)
  expect(settled.code).toBe(0)
}

const stories: Story[] = [
  [
    'N1 F again',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      expect((await machine.imports('f.csv', rows)).counts).toBe('15 added')
      const again = await machine.imports('f.csv', rows)
      expect(again.counts).toBe('15 skipped')
      expect(again.told).toMatch('all 15 rows were added before')
      expect(again.outcomes.every(({ id }) => id !== undefined)).toBe(true)
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N1 after kills',
    async scene => {
      const { shelter, machine } = scene
      const rows = Array.from({ length: 40 }, (_, index): Row => [`n${index}`, '1', 'sold'])
      for (const after of [7, 12]) await machine.isKilled(after, 'f.csv', rows)
      const rest = await machine.imports('f.csv', rows)
      const doubtful = linesOf(rest, 'doubtful').length
      expect(doubtful).toBeLessThanOrEqual(shelter.hasKeys ? 0 : 2 * 2 * 8)
      await settle(scene, 'f.csv', rows, rest)
      expect((await machine.imports('f.csv', rows)).counts).toBe('40 skipped')
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N2 a rejected row is corrected in F',
    async ({ shelter, machine, pets }) => {
      const [rows, [corrected]] = [pets(20), pets(1)]
      const before = rows.with(7, bad(1))
      expect((await machine.imports('f.csv', before)).counts).toBe('19 added, 1 rejected')
      const after = rows.with(7, corrected as Row)
      expect((await machine.imports('f.csv', after)).counts).toBe('1 added, 19 skipped')
      expect(shelter.count()).toBe(20)
    }
  ],
  [
    'N3 rows appended, inserted at the top and in the middle, sorted',
    async ({ shelter, machine, pets }) => {
      let rows = pets(20)
      await machine.imports('f.csv', rows)
      rows = [...pets(2), ...rows, ...pets(3)]
      rows.splice(12, 0, ...pets(1))
      expect((await machine.imports('f.csv', rows)).counts).toBe('6 added, 20 skipped')
      rows = sorted(rows)
      expect((await machine.imports('f.csv', rows)).counts).toBe('26 skipped')
      rows.splice(9, 0, ...pets(1))
      expect((await machine.imports('f.csv', rows)).counts).toBe('1 added, 26 skipped')
      expect(shelter.count()).toBe(27)
    }
  ],
  [
    'N3 columns in another order, saved with BOM, semicolons, CRLF and quotes',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      const more = [...rows, ...pets(1)]
      const cells = more.map(([name, category, status]) => `"${status}";${category};"${name}"`)
      const text = ['\uFEFFstatus;categoryId;name', ...cells, ''].join('\r\n')
      writeFileSync(machine.at('f.csv'), text)
      expect((await machine.importsFile('f.csv', more)).counts).toBe('1 added, 20 skipped')
      expect(shelter.count()).toBe(21)
    }
  ],
  [
    'N4 a queue: done rows are removed, others appended, many times',
    async ({ shelter, machine, pets }) => {
      let rows = pets(20)
      await machine.imports('f.csv', rows)
      for (let week = 1; week <= 4; week += 1) {
        rows = [...rows.slice(4), ...pets(4)]
        expect((await machine.imports('f.csv', rows)).counts).toBe('4 added, 16 skipped')
        expect(shelter.count()).toBe(20 + 4 * week)
      }
    }
  ],
  [
    'N4 a queue of which less than half stays: equal ones are known',
    async ({ shelter, machine, pets, others }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      const rest = [...rows.slice(-2), ...others(18)]
      const most = await machine.imports('f.csv', rest)
      expect(most.counts).toBe('18 added, 2 known')
      expect(most.told).toContain('--batch')
      expect((await machine.imports('f.csv', pets(20))).counts).toBe('20 added')
      expect(shelter.count()).toBe(58)
    }
  ],
  [
    'N5 A saved as B with two rows more',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('a.csv', rows)
      machine.now = new Date('2026-11-28T10:00:00')
      const copy = await machine.imports('b.csv', [...rows, ...pets(2)])
      expect(copy.counts).toBe('2 added, 20 skipped')
      expect(copy.told).toContain('added before, from a.csv on 28 October: 20 of 22 rows')
      expect(shelter.count()).toBe(22)
    }
  ],
  [
    'N5 A renamed to B with one row more, then renamed and sorted',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      await machine.imports('a.csv', rows)
      renameSync(machine.at('a.csv'), machine.at('b.csv'))
      const more = [...rows, ...pets(1)]
      expect((await machine.imports('b.csv', more)).counts).toBe('1 added, 15 skipped')
      renameSync(machine.at('b.csv'), machine.at('c.csv'))
      const most = [...sorted(more), ...pets(1)]
      expect((await machine.imports('c.csv', most)).counts).toBe('1 added, 16 skipped')
      expect(shelter.count()).toBe(17)
    }
  ],
  [
    'N6 a longer export each day under a new name',
    async ({ shelter, machine, pets }) => {
      let rows = pets(20)
      await machine.imports('day 0.csv', rows)
      for (let day = 1; day <= 4; day += 1) {
        const before = rows.length
        rows = [...rows, ...pets(5)]
        const { counts } = await machine.imports(`day ${day}.csv`, rows)
        expect(counts).toBe(`5 added, ${before} skipped`)
      }
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N6 a window, of which a few leave and come each day',
    async ({ shelter, machine, pets }) => {
      let rows = pets(30)
      await machine.imports('day 0.csv', rows)
      for (let day = 1; day <= 4; day += 1) {
        rows = [...rows.slice(2), ...pets(2)]
        const { counts } = await machine.imports(`day ${day}.csv`, rows)
        expect(counts).toBe('2 added, 28 skipped')
      }
      expect(shelter.count()).toBe(38)
    }
  ],
  [
    'N7 two files merged into one, and a part of one',
    async ({ shelter, machine, pets }) => {
      const [a, b] = [pets(20), pets(20)]
      await machine.imports('a.csv', a)
      await machine.imports('b.csv', b)
      expect((await machine.imports('all.csv', [...a, ...b])).counts).toBe('40 skipped')
      expect((await machine.imports('part.csv', a.slice(5, 15))).counts).toBe('10 skipped')
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N7 a sheet that is filtered, then whole again',
    async ({ shelter, machine, pets }) => {
      const rows = pets(30)
      await machine.imports('f.csv', rows)
      expect((await machine.imports('f.csv', rows.slice(12, 18))).counts).toBe('6 skipped')
      expect((await machine.imports('f.csv', rows)).counts).toBe('30 skipped')
      const one = rows.filter(([, category]) => category === '1')
      const filtered = await machine.imports('f.csv', one)
      expect(filtered.counts).toBe(`${one.length} known`)
      const whole = await machine.imports('f.csv', [...rows, ...pets(1)])
      expect(whole.counts).toBe('1 added, 30 skipped')
      expect(shelter.count()).toBe(31)
    }
  ],
  [
    'N8 through a pipe, by another path, by links',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      const more = [...rows, ...pets(1)]
      expect((await machine.pipes(more)).counts).toBe('1 added, 20 skipped')
      mkdirSync(machine.at('other'))
      const path = '../home/other/../f.csv'
      const most = [...more, ...pets(1)]
      expect((await machine.imports(path, most)).counts).toBe('1 added, 21 skipped')
      linkSync(machine.at('f.csv'), machine.at('hard.csv'))
      symlinkSync(machine.at('f.csv'), machine.at('soft.csv'))
      for (const link of ['hard.csv', 'soft.csv'])
        expect((await machine.importsFile(link, most)).counts).toBe('22 skipped')
      expect(shelter.count()).toBe(22)
    }
  ],
  ...[1, 3].map(
    (count): Story => [
      `N9 rejects (${count}) corrected and imported, then F`,
      async ({ shelter, machine, pets }) => {
        const [rows, corrections] = [pets(20), pets(count)]
        const wrong = corrections.map((_, index) => bad(index))
        const rejects = ['--rejects', machine.at('bad.csv')]
        const first = await machine.imports('f.csv', [...rows, ...wrong], ...rejects)
        expect(first.counts).toBe(`20 added, ${count} rejected`)
        expect((await machine.imports('bad.csv', corrections)).counts).toBe(`${count} added`)
        const second = await machine.imports('f.csv', [...rows, ...corrections], ...rejects)
        expect(second.counts).toBe(`${20 + count} skipped`)
        expect(shelter.count()).toBe(20 + count)
      }
    ]
  ),
  [
    'N9 F corrected first, then the rejects; rejects written anew and corrected again',
    async ({ shelter, machine, pets }) => {
      const [rows, corrections, others] = [pets(20), pets(2), pets(2)]
      const rejects = ['--rejects', machine.at('bad.csv')]
      await machine.imports('f.csv', [...rows, bad(1), bad(2)], ...rejects)
      const all = [...rows, ...corrections]
      expect((await machine.imports('f.csv', all)).counts).toBe('2 added, 20 skipped')
      expect((await machine.imports('bad.csv', corrections)).counts).toBe('2 skipped')
      const anew = await machine.imports('f.csv', [...all, bad(3), bad(4)], ...rejects)
      expect(anew.counts).toBe('22 skipped, 2 rejected')
      expect((await machine.imports('bad.csv', others)).counts).toBe('2 added')
      expect((await machine.imports('f.csv', [...all, ...others])).counts).toBe('24 skipped')
      expect(shelter.count()).toBe(24)
    }
  ],
  [
    'N9 rejected and invalid rows are corrected in a small copy',
    async ({ shelter, machine, pets }) => {
      const [three, ten] = [pets(3), pets(10)]
      await machine.imports('a.csv', three.with(1, bad(1)))
      expect((await machine.imports('b.csv', three)).counts).toBe('1 added, 2 skipped')
      const first = ten.with(2, ['', '1', 'sold']).with(7, bad(7))
      expect((await machine.imports('c.csv', first)).counts).toBe('8 added, 1 rejected, 1 invalid')
      expect((await machine.pipes(sorted(ten))).counts).toBe('2 added, 8 skipped')
      expect(shelter.count()).toBe(13)
    }
  ],
  [
    'N22 after a kill, the sorted file has another name',
    async scene => {
      const { shelter, machine, pets } = scene
      const rows = pets(40)
      await machine.isKilled(30, 'a.csv', rows)
      const copy = await machine.imports('b.csv', sorted(rows))
      expect(copy.told).toContain('added before, from a.csv')
      if (shelter.hasKeys) expect(shelter.count()).toBe(40)
      else expect(shelter.count() + linesOf(copy, 'doubtful').length).toBeGreaterThanOrEqual(40)
    }
  ],
  [
    'N10 the name of an added row is corrected',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      const first = await machine.imports('f.csv', rows)
      const corrected = edited(rows, 7, renamed)
      const run = await machine.imports('f.csv', corrected)
      expect(run.counts).toBe('14 skipped, 1 changed')
      const [added, changed] = [first, run].map(({ outcomes }) =>
        outcomes.find(({ line }) => line === 9)
      )
      expect(changed).toMatchObject({ outcome: 'changed', id: added?.id })
      expect(run.told).toMatch(/--skip changed[\s\S]*--add changed/)
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N10 with rows added beside it, and at the top',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      await machine.imports('f.csv', rows)
      const corrected = edited(rows, 7, renamed)
      corrected.splice(8, 0, ...pets(2))
      const run = await machine.imports('f.csv', [...pets(2), ...corrected])
      expect(run.counts).toBe('4 added, 14 skipped, 1 changed')
      expect(linesOf(run, 'changed')).toEqual([11])
      expect(shelter.count()).toBe(19)
    }
  ],
  [
    'N10 after a sort that was imported before',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      await machine.imports('f.csv', rows)
      await machine.imports('f.csv', sorted(rows))
      const run = await machine.imports('f.csv', edited(sorted(rows), 7, renamed))
      expect(run.counts).toBe('14 skipped, 1 changed')
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N11 a category and a status are corrected',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      await machine.imports('f.csv', rows)
      const run = await machine.imports('f.csv', edited(edited(rows, 3, sold), 9, moved))
      expect(run.counts).toBe('13 skipped, 2 changed')
      expect(linesOf(run, 'changed')).toEqual([5, 11])
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N12 every category is corrected',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      await machine.imports('f.csv', rows)
      expect((await machine.imports('f.csv', rows.map(moved))).counts).toBe('15 changed')
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N13 A saved as B, one name corrected there; more than half of the statuses changed there',
    async ({ shelter, machine, pets }) => {
      const [one, other] = [pets(20), pets(20)]
      await machine.imports('a.csv', one)
      const typo = await machine.imports('b.csv', edited(one, 14, renamed))
      expect(typo.counts).toBe('19 skipped, 1 changed')
      await machine.imports('c.csv', other)
      const most = other.map((row, index) => (index % 5 < 3 ? sold(row) : row))
      expect((await machine.imports('d.csv', most)).counts).toBe('8 skipped, 12 changed')
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N14 a correction that was held is undone',
    async ({ shelter, machine, pets }) => {
      const rows = pets(15)
      await machine.imports('f.csv', rows)
      await machine.imports('f.csv', edited(rows, 7, renamed))
      expect((await machine.imports('f.csv', rows)).counts).toBe('15 skipped')
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N13 changed rows that are left alone or decided, then a sorted copy under another name',
    async ({ shelter, machine, pets, others }) => {
      for (const [name, rows, words] of [
        ['left', pets(20), []],
        ['decided', others(20), ['--skip', 'changed']]
      ] as const) {
        await machine.imports(`${name}.csv`, rows)
        const corrected = rows.map((row, index) => (index % 6 === 5 ? sold(row) : row))
        await machine.imports(`${name}.csv`, corrected, ...words)
        const copy = await machine.imports(`${name}-2.csv`, sorted(corrected))
        expect(copy.counts).toBe(words.length > 0 ? '20 skipped' : '17 skipped, 3 changed')
      }
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N27 rows of two kinds are decided at once',
    async ({ shelter, machine, pets, others }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      const refilled = [...rows.slice(0, 3), at(rows, 8), renamed(at(rows, 9)), ...others(10)]
      const run = await machine.imports('f.csv', refilled)
      expect(run.counts).toMatch(/known, \d+ changed/)
      const added = await machine.imports('f.csv', refilled, '--add', 'known', '--add', 'changed')
      expect(added.counts).toMatch(/^5 added, 10 skipped$/)
      expect(shelter.count()).toBe(35)
    }
  ],
  [
    'N19 a small corrected copy is another import, and says what it has in common',
    async ({ shelter, machine, pets }) => {
      const rows = pets(3)
      await machine.imports('a.csv', rows)
      const copy = await machine.imports('b.csv', edited(rows, 1, renamed))
      expect(copy.counts).toBe('3 added')
      expect(copy.told).toContain('2 of 3 rows equal pets that were added here')
      expect(shelter.count()).toBe(6)
    }
  ],
  [
    'N15 a row is corrected so that it equals another one',
    async ({ shelter, machine, pets }) => {
      const rows = edited(pets(15), 7, ([, category, status]) => ['Bella', category, status])
      const other: Row = ['Max', at(rows, 7)[1], at(rows, 7)[2]]
      const before = rows.with(12, other)
      const first = await machine.imports('f.csv', before)
      const run = await machine.imports('f.csv', before.with(7, other))
      expect(run.counts).toBe('14 skipped, 1 changed')
      const idAt = ({ outcomes }: Run, wanted: number) =>
        outcomes.find(({ line }) => line === wanted)?.id
      expect([9, 14].map(line => idAt(run, line))).toEqual([9, 14].map(line => idAt(first, line)))
      expect(linesOf(run, 'changed')).toEqual([9])
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N16 a template that is filled anew each week',
    async ({ shelter, machine, pets, others }) => {
      const first = pets(20)
      await machine.imports('f.csv', first)
      const equal = [4, 11, 17].map(index => at(first, index))
      const second = others(20)
      for (const [index, row] of equal.entries()) second[3 + 5 * index] = row
      const run = await machine.imports('f.csv', second)
      expect(run.counts).toBe('17 added, 3 known')
      expect(run.told).toContain('--batch')
      expect(shelter.count()).toBe(37)
    }
  ],
  [
    'N16 with --batch of the week, twice each',
    async ({ shelter, machine, pets }) => {
      const first = pets(20)
      const second = [...pets(14), ...first.slice(0, 6)]
      for (const [week, rows] of [first, second].entries()) {
        const batch = ['--batch', `week ${week}`]
        expect((await machine.imports('f.csv', rows, ...batch)).counts).toBe('20 added')
        expect((await machine.imports('f.csv', rows, ...batch)).counts).toBe('20 skipped')
      }
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N17 three new kittens, equal to those of last month',
    async ({ shelter, machine }) => {
      const kittens: Row[] = ['Kit', 'Kat', 'Kit'].map(name => [name, '1', 'available'])
      await machine.imports('f.csv', kittens)
      machine.now = new Date('2026-11-28T10:00:00')
      const run = await machine.imports('f.csv', kittens)
      expect(run.counts).toBe('3 skipped')
      expect(run.told).toMatch(/all 3 rows were added before, on 28 October.*--batch NAME/)
      const june = ['--batch', 'june']
      const other = await machine.imports('f.csv', kittens, ...june)
      expect(other.counts).toBe('3 added')
      expect(other.told).toMatch(/3 .*rows/)
      expect((await machine.imports('f.csv', kittens, ...june)).counts).toBe('3 skipped')
      expect(shelter.count()).toBe(6)
    }
  ],
  [
    "N18 two shelters' files share three Bellas; small new files beside a large one",
    async ({ shelter, machine, pets }) => {
      const bellas: Row[] = ['0', '1', '2'].map(category => ['Bella', category, 'available'])
      const mixed = (rows: Row[]) => {
        for (const [index, bella] of bellas.entries()) rows.splice(9 * (index + 1), 0, bella)
        return rows
      }
      expect((await machine.imports('a.csv', mixed(pets(30)))).counts).toBe('33 added')
      expect((await machine.imports('b.csv', mixed(pets(30)))).counts).toBe('33 added')
      const large = pets(200)
      await machine.imports('large.csv', large)
      for (const week of [1, 2, 3]) {
        const rows = [...pets(4), at(large, 40 * week), ...pets(4), at(large, 60 * week)]
        expect((await machine.imports(`${week}.csv`, rows)).counts).toBe('10 added')
      }
      expect(shelter.count()).toBe(296)
    }
  ],
  [
    'N18 a new pet stands beside an old one that is equal; rows are pasted twice',
    async ({ shelter, machine, pets }) => {
      const rows = pets(12)
      await machine.imports('f.csv', rows)
      const more = rows.toSpliced(4, 0, at(rows, 4)).toSpliced(9, 0, at(rows, 8), at(rows, 8))
      expect((await machine.imports('f.csv', more)).counts).toBe('3 added, 12 skipped')
      expect((await machine.imports('f.csv', more)).counts).toBe('15 skipped')
      const kittens = Array.from({ length: 4 }, (): Row => ['Kit', '9', 'available'])
      await machine.imports('k.csv', kittens)
      const five = await machine.imports('k.csv', [...kittens, at(kittens, 0)])
      expect(five.counts).toBe('1 added, 4 skipped')
      const twice = await machine.imports('f.csv', [...more, ...rows])
      expect(twice.counts).toBe('27 skipped')
      expect(shelter.count()).toBe(20)
    }
  ],
  [
    'N7 the rows of an intake are put into the main file, here and there',
    async ({ shelter, machine, pets }) => {
      const [rows, intake] = [pets(20), pets(4)]
      await machine.imports('main.csv', rows)
      await machine.imports('intake.csv', intake)
      const mixed = intake.reduce((all, row, index) => all.toSpliced(3 + 5 * index, 0, row), rows)
      const run = await machine.imports('main.csv', mixed, '--check')
      expect(run.told).toContain(
        '4 of 24 rows equal pets that were added here (lines 5, 10, 15, 20)'
      )
      expect(shelter.count()).toBe(24)
    }
  ],
  [
    'N19 a file of one row that equals a row of another file',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('a.csv', rows)
      expect((await machine.imports('b.csv', rows.slice(7, 8))).counts).toBe('1 added')
      expect(shelter.count()).toBe(21)
    }
  ],
  [
    'N20 staging, then production at another address',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      await machine.setEnvironment('production', await shelter.openOtherPort())
      const run = await machine.imports('f.csv', rows, '--env', 'production')
      expect(run.counts).toBe('20 added')
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N20 two environments with one address and two keys; one environment with another key',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      machine.variables = { PETSTORE_API_KEY: await shelter.openAccount('second-account') }
      const same = await machine.run(['pets', 'import', machine.at('f.csv'), '--env', 'staging'])
      expect(same.stdout.match(/"skipped"/g)).toHaveLength(20)
      expect(same.stderr).toContain('with another API key')
      await machine.setEnvironment('production')
      const argv = ['pets', 'import', machine.at('f.csv'), '--env', 'production']
      const other = await machine.run(argv)
      expect(other.stdout.match(/"added"/g)).toHaveLength(20)
      expect(other.stderr).toContain("'staging'")
      expect([shelter.count(), shelter.count('second-account')]).toEqual([20, 20])
    }
  ],
  [
    'N21 localhost for 127.0.0.1; another port',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      await machine.setEnvironment('staging', shelter.otherUrl)
      expect((await machine.imports('f.csv', rows)).counts).toBe('20 skipped')
      const told = await machine.setEnvironment('staging', await shelter.openOtherPort())
      expect(told).toMatch(/import/)
      const moved = await machine.imports('f.csv', rows)
      expect(moved.counts).toBe('20 added')
      expect(moved.told).toContain(shelter.url)
      const url = await shelter.openOtherPort()
      machine.variables = { ...machine.variables, PETSTORE_BASE_URL: url }
      const again = await machine.imports('f.csv', rows)
      expect(again.counts).toBe('20 added')
      expect(again.told).toMatch(/127\.0\.0\.1/)
      expect(shelter.count()).toBe(60)
    }
  ],
  [
    'N22 a CI job is killed half way; a fresh machine has its journals',
    async scene => {
      const { shelter, machine } = scene
      const rows = Array.from({ length: 40 }, (_, index): Row => [`n${index}`, '1', 'sold'])
      const journals = (on: Machine) => ({ CI: '1', PETSTORE_JOURNAL_DIR: on.at('journals') })
      machine.variables = { ...machine.variables, ...journals(machine) }
      await machine.isKilled(15, 'f.csv', rows)
      const fresh = await openMachine(shelter)
      fresh.variables = { ...fresh.variables, ...journals(fresh) }
      renameSync(machine.at('journals'), fresh.at('journals'))
      const run = await fresh.imports('f.csv', rows)
      await settle({ ...scene, machine: fresh }, 'f.csv', rows, run)
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N22 or has not, but keys and --batch; without either, it is told',
    async ({ shelter, machine }) => {
      const rows = Array.from({ length: 40 }, (_, index): Row => [`n${index}`, '1', 'sold'])
      const batch = shelter.hasKeys ? ['--batch', 'run 1'] : []
      machine.variables = { ...machine.variables, CI: '1' }
      await machine.isKilled(16, 'f.csv', rows, ...batch)
      const before = shelter.count()
      const fresh = await openMachine(shelter)
      fresh.variables = { ...fresh.variables, CI: '1' }
      const run = await fresh.imports('f.csv', rows, ...batch)
      expect(run.told).toMatch(/--batch[\s\S]*PETSTORE_JOURNAL_DIR/)
      expect(run.counts).toBe(
        shelter.hasKeys ? `${40 - before} added, ${before} skipped` : '40 added'
      )
      expect(shelter.count()).toBe(shelter.hasKeys ? 40 : 40 + before)
    }
  ],
  [
    'N23 an hourly CI job on fresh machines, with --batch of each run',
    async ({ shelter, pets }) => {
      const first = pets(20)
      const second = [...first.slice(0, 8), ...pets(12)]
      for (const [hour, rows] of [first, second].entries()) {
        const fresh = await openMachine(shelter)
        fresh.variables = { ...fresh.variables, CI: '1' }
        const run = await fresh.imports('batch.csv', rows, '--batch', `run ${hour}`)
        expect(run.counts).toBe('20 added')
      }
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N24 two people with one file: nothing can know it, unless both use --batch and keys',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      const other = await openMachine(shelter)
      const batch = ['--batch', 'november']
      await machine.imports('f.csv', rows, ...batch)
      const run = await other.imports('f.csv', rows, ...batch)
      expect(run.counts).toBe(shelter.hasKeys ? '20 skipped' : '20 added')
      expect(shelter.count()).toBe(shelter.hasKeys ? 20 : 40)
    }
  ],
  [
    'N25 a row in doubt in A is settled in its copy',
    async ({ shelter, machine, pets }) => {
      const rows = edited(pets(20), 7, ([, ...rest]) => ['Lost', ...rest])
      shelter.losesRepliesFor('Lost')
      const a = await machine.imports('a.csv', rows, '--retries', '0')
      expect(a.counts).toBe('19 added, 1 doubtful')
      shelter.isWell()
      const copy = await machine.imports('b.csv', rows)
      expect(copy.counts).toBe(shelter.hasKeys ? '1 added, 19 skipped' : '19 skipped, 1 doubtful')
      if (!shelter.hasKeys)
        expect((await machine.imports('b.csv', rows, '--add', '9')).counts).toBe(
          '1 added, 19 skipped'
        )
      expect((await machine.imports('a.csv', rows)).counts).toBe('20 skipped')
      expect(shelter.count()).toBe(shelter.hasKeys ? 20 : 21)
    }
  ],
  [
    'N26 A and its copy with more rows at the same moment',
    async ({ shelter, machine, pets }) => {
      const rows = pets(30)
      const holding = shelter.holdsAfter(20)
      const first = machine.imports('a.csv', rows)
      await holding
      const options = ['--env', 'staging', '--retries', '0']
      machine.save('b.csv', [...rows, ...pets(2)])
      const second = machine.run(['pets', 'import', machine.at('b.csv'), ...options, '-q'])
      await Promise.race([second, new Promise(resolve => setTimeout(resolve, 300))])
      shelter.isWell()
      const { stdout, stderr } = await second
      expect((await first).counts).toBe('30 added')
      const added = stdout.split('"added"').length - 1
      expect(shelter.count()).toBe(30 + added)
      expect(stderr).toContain('a.csv')
    }
  ],
  [
    'N27 a held row is left alone: it stays held',
    async ({ shelter, machine, pets }) => {
      let rows = pets(12)
      await machine.imports('f.csv', rows)
      rows = edited(rows, 7, renamed)
      for (let night = 0; night < 3; night += 1) {
        const before = await machine.imports('f.csv', rows)
        expect(before.counts).toBe(`${rows.length - 1} skipped, 1 changed`)
        rows = [...rows, ...pets(1)]
        const after = await machine.imports('f.csv', rows)
        expect(after.counts).toBe(`1 added, ${rows.length - 2} skipped, 1 changed`)
      }
      expect(shelter.count()).toBe(15)
    }
  ],
  [
    'N27 a changed row is left alone, then F is sorted, or merged with another file',
    async ({ shelter, machine, pets }) => {
      const rows = pets(20)
      await machine.imports('f.csv', rows)
      const corrected = edited(rows, 7, renamed)
      expect((await machine.imports('f.csv', corrected)).counts).toBe('19 skipped, 1 changed')
      const inOrder = await machine.imports('f.csv', sorted(corrected))
      expect(inOrder.counts).toBe('19 skipped, 1 changed')
      await machine.imports('f.csv', corrected)
      const merged = await machine.imports('all.csv', [...corrected, ...pets(20)])
      expect(merged.counts).toBe('20 added, 19 skipped, 1 changed')
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N27 a known row is left alone: it stays known, also when rows are appended',
    async ({ shelter, machine, pets, others }) => {
      const first = pets(20)
      await machine.imports('f.csv', first)
      const rows = [...others(9), at(first, 4), ...others(10)]
      expect((await machine.imports('f.csv', rows)).counts).toBe('19 added, 1 known')
      expect((await machine.imports('f.csv', rows)).counts).toBe('19 skipped, 1 known')
      const more = [...rows, ...pets(1)]
      expect((await machine.imports('f.csv', more)).counts).toBe('1 added, 19 skipped, 1 known')
      expect((await machine.imports('copy.csv', more)).counts).toBe('20 skipped, 1 known')
      const skipped = await machine.imports('copy.csv', more, '--skip', 'known')
      expect(skipped.counts).toBe('21 skipped')
      expect((await machine.imports('f.csv', more)).counts).toBe('21 skipped')
      expect(shelter.count()).toBe(40)
    }
  ],
  [
    'N27 every night with --skip changed: no row in doubt is skipped',
    async ({ shelter, machine, pets }) => {
      const rows = [...pets(20), ['Lost', '1', 'sold'] as Row]
      shelter.losesRepliesFor('Lost')
      await machine.imports('f.csv', rows, '--retries', '0')
      const corrected = edited(rows, 7, renamed)
      const nightly = () =>
        machine.imports('f.csv', corrected, '--skip', 'changed', '--retries', '0')
      expect((await nightly()).counts).toBe('20 skipped, 1 doubtful')
      shelter.isWell()
      const second = await nightly()
      expect(second.counts).toBe(shelter.hasKeys ? '1 added, 20 skipped' : '20 skipped, 1 doubtful')
      expect(shelter.count()).toBe(21)
    }
  ],
  [
    'N28 --skip 7, later --add 7, killed and typed again',
    async ({ shelter, machine, pets }) => {
      const rows = edited(pets(20), 5, ([, ...rest]) => ['Rex', ...rest])
      await machine.imports('f.csv', rows)
      const corrected = edited(rows, 5, ([, ...rest]) => ['Max', ...rest])
      expect((await machine.imports('f.csv', corrected)).counts).toBe('19 skipped, 1 changed')
      expect((await machine.imports('f.csv', corrected, '--skip', '7')).counts).toBe('20 skipped')
      expect((await machine.imports('f.csv', corrected)).counts).toBe('20 skipped')
      await machine.isKilled(1, 'f.csv', corrected, '--add', '7')
      const typedAgain = await machine.imports('f.csv', corrected, '--add', '7')
      expect(typedAgain.counts).toBe('1 added, 19 skipped')
      const maxes = [...shelter.pets().values()].filter(([name]) => name === 'Max')
      // Without keys, a row whose reply was lost is sent as typed.
      expect(maxes).toHaveLength(shelter.hasKeys ? 1 : 2)
      expect((await machine.imports('f.csv', corrected)).counts).toBe('20 skipped')
    }
  ],
  [
    'N29 a file of one row, whose name is corrected',
    async ({ shelter, machine, pets }) => {
      const rows = pets(1)
      await machine.imports('f.csv', rows)
      expect((await machine.imports('f.csv', rows.map(renamed))).counts).toBe('1 changed')
      expect(shelter.count()).toBe(1)
    }
  ],
  [
    'N30 --rejects with a file that was imported, and beside an input of a similar name',
    async ({ machine, pets }) => {
      const rows = pets(10)
      await machine.imports('master.csv', rows)
      const before = readFileSync(machine.at('master.csv'), 'utf8')
      const rejects = ['--rejects', machine.at('master.csv')]
      const refused = await machine.imports('f.csv', [...pets(3), bad(1)], ...rejects)
      expect([refused.code, refused.counts]).toEqual([2, ''])
      expect(readFileSync(machine.at('master.csv'), 'utf8')).toBe(before)
      const input = [...pets(3), bad(1)]
      const run = await machine.imports('pets.csv.part', input, '--rejects', machine.at('pets.csv'))
      expect(run.counts).toBe('3 added, 1 rejected')
      expect(readFileSync(machine.at('pets.csv.part'), 'utf8')).toContain(at(input, 0)[0])
      expect(readFileSync(machine.at('pets.csv'), 'utf8')).toContain('bad 1')
    }
  ],
  [
    'N31 sorted and corrected in one step; one row taken out and put back',
    async ({ shelter, machine, pets }) => {
      const rows = edited(pets(15), 7, ([, ...rest]) => ['Aaron', ...rest])
      await machine.imports('f.csv', rows)
      const run = await machine.imports(
        'f.csv',
        sorted(edited(rows, 7, ([, ...rest]) => ['zoe', ...rest]))
      )
      expect(run.counts).toBe('1 added, 14 skipped')
      expect(run.told).toMatch(/1 .*gone|gone.* 1/)
      for (const batch of [[], ['--batch', 'june']]) {
        const other = pets(15)
        await machine.imports('g.csv', other, ...batch)
        const less = await machine.imports('g.csv', other.toSpliced(7, 1), ...batch)
        expect(less.counts).toBe('14 skipped')
        expect((await machine.imports('g.csv', other, ...batch)).counts).toBe('15 skipped')
      }
      expect(shelter.count()).toBe(46)
    }
  ]
]

describe.each([true, false])('where the environment is idempotent: %s', hasKeys => {
  test.each(stories)('%s', async (_about, happens) => {
    const shelter = await openShelter({ hasKeys })
    const machine = await openMachine(shelter)
    const [pets, others] = [petMaker('n', 0), petMaker('m', 4)]
    await happens({ shelter, machine, pets, others })
  })
})
