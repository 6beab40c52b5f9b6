import { readFileSync } from 'node:fs'
import { openDatabase } from '../../src/service/database.ts'

// Another petstore, bundled and run as a process of its own by `processes.ts`: it says when it has started, waits for
// the word to begin, adds some animals, and tells the ids that it was given.
const [path = '', count = '0'] = process.argv.slice(2)
process.stdout.write('started\n')
readFileSync(0)
const database = await openDatabase(path, { samples: true })
for (let number = 1; number <= Number(count); number += 1) {
  const { id } = database.add({ name: `animal ${number}`, categoryId: 1n })
  process.stdout.write(`${id}\n`)
}
database.close()
