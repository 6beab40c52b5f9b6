import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { brokenInto, padding, truncate, widthOf } from '../../src/output/width.ts'

describe('widthOf', () => {
  test.each([
    ['', 0],
    ['Rex', 3],
    ['日本', 4],
    ['👨‍👩‍👧', 2],
    ['🇯🇵', 2],
    ['e\u0301', 1]
  ])('%j is %i wide', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })
})

describe('truncate', () => {
  test.each([
    ['Rex', 3, 'Rex'],
    ['Rexy', 3, 'Re…'],
    ['Rexy', 1, '…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本語', 2, '…'],
    ['👨‍👩‍👧👨‍👩‍👧', 3, '👨‍👩‍👧…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['a  b', 3, 'a…']
  ])('%j in %i is %j', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })

  test('returns text that is never wider than the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 40 }),
        (text, width) => {
          expect(stringWidth(truncate(text, width))).toBeLessThanOrEqual(width)
        }
      )
    )
  })
})

describe('brokenInto', () => {
  test.each<[text: string, lines: string[]]>([
    ['', ['']],
    ['one two', ['one two']],
    ['one two three', ['one two', 'three']],
    ['日本 語 の猫', ['日本 語', 'の猫']],
    ['to https://pets.example', ['to', 'https://', 'pets.exa', 'mple']],
    ['a https://b c', ['a', 'https://', 'b c']]
  ])('%j at eight columns', (text, lines) => {
    expect(brokenInto(text, 8)).toEqual(lines)
  })
})

test('padding fills the width and does nothing if the text is wider', () => {
  expect(padding('日本', 6)).toBe('  ')
  expect(padding('日本語', 4)).toBe('')
})

test('the width of a text is measured only up to a limit', () => {
  expect(widthOf('日'.repeat(10), 20)).toBe(20)
  expect(widthOf('日'.repeat(10), 19)).toBe(18)
  expect(widthOf('x'.repeat(5000))).toBe(1000)
  expect(widthOf('日'.repeat(5000))).toBe(1000)
})
