import { readFileSync } from 'node:fs'
import { openDatabase } from './open-database.ts'

// A separate petstore process that `processes.ts` bundles and runs. It reports its start, waits
// until its input ends, adds pets, and prints their ids.
const [path = '', count = '0'] = process.argv.slice(2)
process.stdout.write('started\n')
readFileSync(0)
const database = await openDatabase({ path, samples: true })
for (let number = 1; number <= Number(count); number += 1) {
  const { id } = await database.add({ name: `pet ${number}`, categoryId: 1n })
  process.stdout.write(`${id}\n`)
}
await database.close()
