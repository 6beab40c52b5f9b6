import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the program keeps what V8 made of it, for the user of this home. */
export const keptIn = (home: string): string => join(home, '.cache', 'petstore')

/** Flips a bit of each kept file, at this share of its length. */
export function damaged(home: string, place: number): string {
  for (const name of readdirSync(keptIn(home))) {
    const file = join(keptIn(home), name)
    const bytes = readFileSync(file)
    const index = Math.floor(bytes.length * place)
    bytes[index] = (bytes[index] ?? 0) ^ 0x10
    writeFileSync(file, bytes)
  }
  return home
}
