import { expect, test } from 'vitest'
import { loadMeasure, truncate, wrapped } from '../../src/text/width.ts'

test.each([
  ['Rex', 3, 'Rex'],
  ['Rexina', 4, 'Rex…'],
  ['A long name', 8, 'A long…'],
  ['漢字漢字', 4, '漢…'],
  ['漢字漢字', 6, '漢字…'],
  ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…']
])('%s in %i columns is %s', async (text, columns, expected) => {
  expect(truncate(text, columns, await loadMeasure([text]))).toBe(expected)
})

test.each([
  ['one two three', 8, 'one two\nthree'],
  ['one two', 7, 'one two'],
  ['a https://pets.example/v1 b', 10, 'a\nhttps://pets.example/v1\nb'],
  ['漢字 漢字', 8, '漢字\n漢字']
])('%s breaks between words at %i columns', async (text, columns, expected) => {
  expect(await wrapped(text, columns)).toBe(expected)
})

test('letters are as wide without the library as with it', async () => {
  const { default: stringWidth } = await import('string-width')
  const letters = Array.from({ length: 0xd7ff / 5 }, (_, index) =>
    String.fromCharCode(index * 5 + 0x20)
  )
  const measures = await Promise.all(letters.map(letter => loadMeasure([letter])))
  expect(letters.filter((letter, at) => measures[at]?.(letter) !== stringWidth(letter))).toEqual([])
})
