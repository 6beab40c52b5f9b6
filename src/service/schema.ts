import type { NewPet } from '../model/pets.ts'

/**
 * The steps from an empty file to the present schema: step N leads to version N + 1. A step that was ever released
 * is never changed; a new one is added below it.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold'))
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  `,
]

/** What a new store begins with. One category lies beyond 2^53, so that a client that rounds shows itself at once. */
export const samplePets: readonly NewPet[] = [
  { name: 'Biscuit', categoryId: 1n, status: 'available' },
  { name: 'Marmalade', categoryId: 2n, status: 'available' },
  { name: 'Sir Waddles', categoryId: 3n, status: 'pending' },
  { name: '小雪', categoryId: 2n, status: 'available' },
  { name: 'Pebble', categoryId: 4n, status: 'sold' },
  { name: 'さくら', categoryId: 1n, status: 'pending' },
  { name: 'Zoë', categoryId: 5n, status: 'available' },
  { name: 'Captain Fluff 🐇', categoryId: 6n, status: 'available' },
  { name: 'Methuselah', categoryId: 9007199254740993n, status: 'sold' },
  { name: 'Nameless Stray', categoryId: 2n },
]
