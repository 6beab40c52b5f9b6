import { expect, test } from 'vitest'
import { styleFor } from '../../src/output/style.ts'

test('a color paints its first argument and nothing else', async () => {
  const style = await styleFor(true)
  for (const paint of Object.values(style)) {
    expect(['text'].map(paint)[0]).toMatch(/text(?!.*0)/)
    expect('a text'.replace(/text/, paint)).not.toContain('a text')
  }
})
