import { expect, test } from 'vitest'
import { createGrowingBuffer } from '../../src/platform/growing-buffer.ts'

const collect = (most: number, chunks: readonly string[]) => {
  const buffer = createGrowingBuffer(most)
  for (const chunk of chunks) buffer.append(Buffer.from(chunk))
  return buffer.bytes()
}

test.each([[[]], [['']], [['abc']], [['', 'abc']], [['abc', '', 'd']], [[...'abcdefghijklmnopqrstuvwxyz']]])(
  'holds the chunks %j in order, also beyond the expected maximum',
  (chunks) => {
    for (const most of [1, 10, 100]) expect(Buffer.from(collect(most, chunks)).toString()).toBe(chunks.join(''))
  },
)

test('does not copy a single chunk, and does not change the first', () => {
  const whole = Buffer.from('abcdef')
  const first = whole.subarray(0, 3)
  const buffer = createGrowingBuffer(100)
  buffer.append(first)
  expect(buffer.bytes().buffer).toBe(whole.buffer)
  expect(buffer.bytes().byteOffset).toBe(first.byteOffset)
  buffer.append(Buffer.from('xyz'))
  expect(Buffer.from(buffer.bytes()).toString()).toBe('abcxyz')
  expect(whole.toString()).toBe('abcdef')
})
