import fc from 'fast-check'

const codePoint = fc.oneof(...[0xff, 0xffff, 0x10_ffff].map(max => fc.nat({ max })))
const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff

/** Text of any characters. The `binary` strings of fast-check take seconds before the first one. */
export const anyText = fc.string({
  unit: codePoint.map(code => String.fromCodePoint(isSurrogate(code) ? 0xfffd : code))
})
