import { PetDatabase } from '../../src/service/database.ts'
import type { DatabaseOptions } from '../../src/service/shared-database.ts'

/** Opens the file as `petstore serve` does, or creates it. */
export async function openDatabase(
  options: DatabaseOptions,
  signal = new AbortController().signal
): Promise<PetDatabase> {
  const database = new PetDatabase(options)
  await database.open(signal)
  return database
}
