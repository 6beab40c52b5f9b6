import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { picturesOf, scenes } from '../../build/pictures.js'
import { needs } from '../support/needs.ts'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const docs = readdirSync(fileURLToPath(new URL('../../docs', import.meta.url)))

needs('tmux', 'jq')('a picture', () => {
  test.each(scenes.filter(({ moment }) => moment === undefined))(
    'of $name shows the output of the program (npm run screenshots updates it)',
    async (scene) => {
      for (const [path, svg] of Object.entries(await picturesOf(scene)))
        expect({ path, svg }).toEqual({ path, svg: read(path) })
    },
  )
})

test('each picture is used on a page, in light and dark', () => {
  const pages = ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
    .map(read)
    .join('')
  const pictures = docs.filter((name) => name.endsWith('.svg'))
  expect(pictures.filter((name) => !pages.includes(name))).toEqual([])
  expect(pictures).toEqual(scenes.flatMap(({ name }) => [`${name}-dark.svg`, `${name}-light.svg`]).sort())
})
