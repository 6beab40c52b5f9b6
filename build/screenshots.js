/** `npm run screenshots`: draws the pictures of the docs. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { picturesOf, scenes } from './pictures.js'

for (const scene of scenes) {
  for (const [path, svg] of Object.entries(await picturesOf(scene))) {
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), svg)
  }
}
