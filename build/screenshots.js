/** `npm run screenshots`: draws the pictures of the docs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './dist.js'
import { picturesOf, scenes } from './pictures.js'

for (const scene of scenes) {
  for (const [path, svg] of Object.entries(await picturesOf(scene))) {
    writeFileSync(join(root, path), svg)
  }
}
