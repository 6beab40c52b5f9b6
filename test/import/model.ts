/**
 * The rules of an import as a model, without files and without a service: which rows are sent. A
 * property compares the program with it.
 */

/** What a file says of a pet. */
export type Row = readonly [name: string, category: string, status: string]

export type Decision = 'added' | 'skipped' | 'known' | 'changed' | 'rejected'

/** What a row of an input stands for: a pet, or nothing if it was rejected. */
interface Standing {
  /** As it stood in the file. */
  readonly row: Row
  readonly pet?: Pet | undefined
  /** It is held, or counts as added by a decision. It stays so. */
  readonly kept?: 'known' | 'changed' | 'skipped' | undefined
}

interface Pet {
  readonly id: number
  /** As it was added. */
  readonly row: Row
}

interface Import {
  readonly batch: string | undefined
  readonly texts: Set<string>
  readonly paths: Set<string>
  last: Standing[]
  /** The pets that it added, and rows that count as added. */
  readonly added: Pet[]
  /** Of a file of rejects: the import that wrote it, which had added pets up to this number. */
  readonly parent: Import | undefined
  readonly since: number
}

interface Input {
  /** A pipe has none. */
  readonly path?: string | undefined
  readonly batch?: string | undefined
  /** The path of the file of rejects. */
  readonly rejects?: string | undefined
  /** Kinds of held rows, and numbers of rows, counted from 0. */
  readonly add?: readonly (string | number)[]
  readonly skip?: readonly (string | number)[]
}

const runLength = 5
const textOf = (row: Row) => row.join('\t')
const nameOf = (row: Row | undefined) => row?.[0]
const isRejected = ([name]: Row) => name.startsWith('bad')

/** An environment and its address. */
export class Place {
  readonly #imports: Import[] = []
  /** The runs of rows of all earlier inputs, and what their rows stood for. */
  readonly #runs = new Map<string, readonly Standing[]>()
  /** Which import wrote a file of rejects last. */
  readonly #rejects = new Map<string, { readonly parent: Import; readonly since: number }>()
  #ids = 0

  /** One run: a decision for each row. */
  run(rows: readonly Row[], input: Input = {}): Decision[] {
    const { path, batch, rejects, add = [], skip = [] } = input
    const one = this.#find(rows, path, batch)
    const { last } = one
    const equal = equalRows(rows, last, this.#corrections(one))
    const inRun = this.#standingInRuns(rows, batch)
    leaveOutSurplus(rows, equal, inRun)
    const gone = petsGone(last, equal)
    const isFound = (index: number) => Boolean(equal[index] ?? inRun[index])
    const changed = changedPets(rows, last, gone, isFound)
    const pets = last.filter(({ pet }) => pet)
    const isRefilled = (pets.length - gone.size) * 2 < pets.length

    const decided = rows.map((row, index): [Decision, Standing] => {
      const [same, run, change] = [equal[index], inRun[index], changed[index]]
      const stands = (kept: Standing['kept'], pet: Pet | undefined): [Decision, Standing] => [
        kept ?? 'skipped',
        { row, pet, kept }
      ]
      const isCorrection = same !== undefined && !last.includes(same)
      const isKept = same?.kept !== undefined && textOf(same.row) === textOf(row)
      if (same && !same.pet) return this.#sent(row)
      if (isCorrection) return stands(undefined, same.pet)
      if (isKept && same.kept === 'skipped') return stands('skipped', same.pet)
      if (run && !isHeld(run)) return stands(run.kept, same?.pet ?? run.pet)
      if (isKept && same.kept === 'changed') return stands('changed', same.pet)
      if (same?.pet && (isKept || isRefilled)) return stands('known', same.pet)
      if (same?.pet) return stands(undefined, same.pet)
      if (run) return stands(run.kept, run.pet)
      if (change) return stands('changed', change.pet)
      return this.#sent(row)
    })
    const chosen = decided.map(([decision, standing], index): [Decision, Standing] => {
      const { row, pet } = standing
      const isChosen = (choice: string | number) => choice === index || choice === decision
      if (add.some(isChosen)) return ['added', this.#newPet(row)]
      if (skip.some(isChosen)) return ['skipped', { row, pet, kept: 'skipped' }]
      return [decision, standing]
    })
    one.last = chosen.map(([, standing]) => standing)
    for (const [decision, { row, pet, kept }] of chosen)
      if (pet && (decision === 'added' || kept === 'skipped')) one.added.push({ id: pet.id, row })
    if (rejects !== undefined) this.#write(rejects, one)
    this.#remember(one)
    return chosen.map(([decision]) => decision)
  }

  #sent(row: Row): [Decision, Standing] {
    return isRejected(row) ? ['rejected', { row }] : ['added', this.#newPet(row)]
  }

  /** A file of rejects that is written anew is another import, and one with this one. */
  #write(path: string, parent: Import) {
    for (const { paths } of this.#imports) paths.delete(path)
    this.#rejects.set(path, { parent, since: this.#ids })
  }

  /** What the other files of an import have added since the rejects were written. */
  #corrections(one: Import): Standing[] {
    const family = one.parent ?? one
    const isNew = ({ id }: Pet, other: Import) => other !== family || id > one.since
    return this.#imports
      .filter(other => other !== one && (other.parent ?? other) === family)
      .flatMap(other => other.added.filter(pet => isNew(pet, other)))
      .filter(({ id }) => !one.last.some(({ pet }) => pet?.id === id))
      .map(pet => ({ row: pet.row, pet }))
  }

  #newPet(row: Row): Standing {
    this.#ids += 1
    return { row, pet: { id: this.#ids, row } }
  }

  /** By its text, else its path, else likeness; a batch by its name alone. */
  #find(rows: readonly Row[], path: string | undefined, batch: string | undefined): Import {
    const text = rows.map(textOf).join('\n')
    const open = this.#imports.filter(other => other.batch === batch)
    const isSame = ({ last }: Import) => {
      const pets = petRowsOf(last)
      if (rows.length < 3 || pets.length < 2) return false
      const isMostPets = pets.length * 2 >= last.length
      const others = isMostPets ? Math.min(rows.length, last.length) - pets.length : 0
      return [standingRowsOf(last), pets].some(some => areAlike(rows, some, others))
    }
    const found =
      batch === undefined
        ? (open.find(({ texts }) => texts.has(text)) ??
          open.find(({ paths }) => path !== undefined && paths.has(path)) ??
          open.find(isSame))
        : open[0]
    const { parent, since = 0 } = this.#rejects.get(path ?? '') ?? {}
    const begun = { batch, texts: new Set<string>(), paths: new Set<string>(), last: [], added: [] }
    const one: Import = found ?? { ...begun, parent, since }
    if (found === undefined) this.#imports.push(one)
    for (const { texts, paths } of this.#imports) {
      texts.delete(text)
      if (path !== undefined) paths.delete(path)
    }
    one.texts.add(text)
    if (path !== undefined) one.paths.add(path)
    return one
  }

  /** What rows stand for that follow each other as in an earlier input. */
  #standingInRuns(rows: readonly Row[], batch: string | undefined): (Standing | undefined)[] {
    const found: (Standing | undefined)[] = new Array(rows.length)
    for (const end of rows.keys())
      for (let start = end - 1; start >= 0 && start > end - runLength; start -= 1) {
        const text = rows
          .slice(start, end + 1)
          .map(textOf)
          .join('\n')
        for (const [at, standing] of (this.#runs.get(runOf(text, batch)) ?? []).entries())
          found[start + at] = better(found[start + at] ?? standing, standing)
      }
    return found
  }

  /** The runs of five rows that stand for pets, or a whole input that is shorter. */
  #remember({ last, batch }: Import) {
    const length = Math.min(runLength, last.length)
    if (length < 2) return
    for (const [start, text] of runsOf(last, length, ({ row }) => textOf(row)).entries()) {
      const run = last.slice(start, start + length)
      if (!run.every(({ pet }) => pet)) continue
      for (const whose of [undefined, batch]) this.#runs.set(runOf(text, whose), run)
    }
  }
}

/** A batch is compared with its own runs. */
const runOf = (text: string, batch = '') => `${batch}\n${text}`

/** As they stood in the file: a held row is not that of its pet. */
const standingRowsOf = (last: readonly Standing[]) =>
  last.flatMap(({ row, pet }) => (pet ? [row] : []))

const petRowsOf = (last: readonly Standing[]) => last.flatMap(({ pet }) => (pet ? [pet.row] : []))

const isHeld = ({ kept }: Standing) => kept === 'known' || kept === 'changed'

/** The first one, unless it is held and the other one was added. */
const better = (one: Standing, other: Standing = one) =>
  isHeld(one) && !isHeld(other) ? other : one

/**
 * For each row, what equals it in the last input: what stood at its place if both begin alike; else a
 * row that was changed and is kept, else a pet, else a row that was rejected; else a correction in another file. Those beside the same neighbor
 * come first, then they go in their order.
 */
function equalRows(
  rows: readonly Row[],
  last: readonly Standing[],
  corrections: readonly Standing[]
) {
  const found: (Standing | undefined)[] = new Array(rows.length)
  const all = [...last, ...corrections]
  const free = new Set(all)
  const take = (
    text: (standing: Standing) => string | undefined,
    isFit: (index: number, place: number) => boolean
  ) => {
    for (const [index, row] of rows.entries()) {
      if (found[index]) continue
      const standing = all.find(
        (one, place) => free.has(one) && text(one) === textOf(row) && isFit(index, place)
      )
      if (standing === undefined) continue
      found[index] = standing
      free.delete(standing)
    }
  }
  const beginning = sharedBeginning(rows, last)
  for (let index = 0; index < beginning; index += 1) {
    found[index] = last[index]
    free.delete(all[index] as Standing)
  }
  const isBeside = (index: number, place: number) => areBesideOneNeighbor(rows, index, last, place)
  const isLast = (_: number, place: number) => place < last.length
  for (const text of [keptText, petText, rejectedText]) {
    take(text, isBeside)
    take(text, isLast)
  }
  take(petText, () => true)
  return found
}

/** Where both begin alike, each row is the one of its place. A first row alone says nothing. */
function sharedBeginning(rows: readonly Row[], last: readonly Standing[]) {
  const end = rows.findIndex(
    (row, index) => textOf(row) !== textOf(last[index]?.row ?? ['', '', ''])
  )
  return end < 0 ? rows.length : end === 1 ? 0 : end
}

/** Beside a row that stands for its pet, an equal row of a run is another pet. */
function leaveOutSurplus(
  rows: readonly Row[],
  equal: readonly (Standing | undefined)[],
  inRun: (Standing | undefined)[]
) {
  const claims = new Map<number | undefined, number>()
  for (const index of rows.keys()) if (equal[index]?.pet) claims.set(equal[index].pet.id, index)
  const areBesideEachOther = (one: number, other: number) => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)]
    return rows.slice(first, last).every(row => textOf(row) === textOf(rows[last] as Row))
  }
  for (const index of rows.keys()) {
    const id = inRun[index]?.pet?.id
    if (id === undefined || equal[index] !== undefined) continue
    const claim = claims.get(id)
    if (claim === undefined) claims.set(id, index)
    else if (areBesideEachOther(claim, index)) inRun[index] = undefined
  }
}

const petText = ({ pet }: Standing) => pet && textOf(pet.row)
const rejectedText = ({ row, pet }: Standing) => (pet ? undefined : textOf(row))
const keptText = ({ row, pet, kept }: Standing) =>
  kept && pet && textOf(row) !== textOf(pet.row) ? textOf(row) : undefined

/** The places of the pets of the last input that stand nowhere in this one. */
function petsGone(last: readonly Standing[], equal: readonly (Standing | undefined)[]) {
  const there = new Set(equal.map(standing => standing?.pet?.id))
  const places = new Map<number, number>()
  for (const [place, { pet }] of last.entries())
    if (pet && !there.has(pet.id)) places.set(pet.id, place)
  return new Set(places.values())
}

/** For each row that was not found, a pet that is gone, from which it differs in one field. */
function changedPets(
  rows: readonly Row[],
  last: readonly Standing[],
  gone: Set<number>,
  isFound: (index: number) => boolean
) {
  return rows.map((row, index) => {
    if (isFound(index)) return undefined
    for (const field of row.keys()) {
      const found = [...last.keys()].find(place => {
        const pet = last[place]?.pet
        const differs = [...row.keys()].filter(at => row[at] !== pet?.row[at])
        const isChange = differs.length === 1 && differs[0] === field
        return isChange && gone.has(place) && areBesideOneNeighbor(rows, index, last, place)
      })
      if (found === undefined) continue
      gone.delete(found)
      return last[found]
    }
    return undefined
  })
}

/** A neighbor is known by its name. The only rows of two inputs have the same one: none. */
function areBesideOneNeighbor(
  rows: readonly Row[],
  index: number,
  last: readonly Standing[],
  place: number
) {
  if (rows.length === 1 && last.filter(({ pet }) => pet).length === 1) return true
  return [-1, 1].some(step => {
    const standing = last[place + step]
    const name = nameOf(rows[index + step])
    return name !== undefined && name === nameOf(standing?.pet?.row ?? standing?.row)
  })
}

/**
 * Nine tenths of both are equal, or have the names of three neighbors in the same order. Where most
 * rows of the other one are pets, the rest may have been corrected: it is not compared.
 */
function areAlike(rows: readonly Row[], last: readonly Row[], others: number) {
  const names = (row: Row) => row[0]
  return (
    areMostShared(rows.map(textOf), last.map(textOf), others) ||
    areMostShared(runsOf(rows, 3, names), runsOf(last, 3, names), others)
  )
}

function areMostShared(ours: readonly string[], theirs: readonly string[], others: number) {
  const left = new Map<string, number>()
  for (const text of theirs) left.set(text, (left.get(text) ?? 0) + 1)
  const shared = ours.filter(text => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count > 0
  })
  const most = Math.max(ours.length - others, theirs.length)
  return shared.length > 0 && shared.length >= 0.9 * most
}

function runsOf<T>(rows: readonly T[], length: number, textOf: (row: T) => string) {
  const count = Math.max(0, rows.length - length + 1)
  return Array.from({ length: count }, (_, start) =>
    rows
      .slice(start, start + length)
      .map(textOf)
      .join('\n')
  )
}
