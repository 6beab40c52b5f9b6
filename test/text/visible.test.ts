import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeActive, visibleLine, visibleText } from '../../src/text/visible.ts'
import { activeCharacter, awkwardNames, hostileNames } from '../output/hostile.ts'
import { anyText } from '../support/any-text.ts'

describe('visibleLine', () => {
  test.each(hostileNames)('makes active characters visible: %s', (_what, name) => {
    expect(visibleLine(name)).not.toMatch(activeCharacter)
    expect(visibleLine(name)).not.toBe(name)
  })

  test.each([
    ['a\tb', 'a␉b'],
    ['a\r\nb', 'a␍␊b'],
    ['\u001b[2J', '␛[2J'],
    ['\u009b2J', '\\u{9b}2J'],
    ['photo_\u202egpj.exe', 'photo_\\u{202e}gpj.exe'],
    ['a\ud800b', 'a\\u{d800}b'],
    ['ad\u200dmin', 'ad\\u{200d}min'],
    ['a\u200c\u200cb', 'a\\u{200c}\\u{200c}b'],
    ['a\u200c b', 'a\\u{200c} b'],
    ['🏴\u{e0067}'.padEnd(20, '\u{e0067}'), `🏴${'\u{e0067}'.repeat(7)}${'\\u{e0067}'.repeat(2)}`],
    ['🐶\u200d\u200d🐶', '🐶\\u{200d}\\u{200d}🐶']
  ])('%j is shown as %s', (text, shown) => {
    expect(visibleLine(text)).toBe(shown)
  })

  test.each(awkwardNames)('leaves %j unchanged', name => {
    expect(visibleLine(name)).toBe(name)
  })

  test('leaves no active character in any text', () => {
    fc.assert(
      fc.property(anyText, fc.string(), (binary, ascii) => {
        expect(visibleLine(binary + ascii)).not.toMatch(activeCharacter)
      })
    )
  })

  test('handles a text of a million characters', () => {
    expect(visibleLine('\u001b'.repeat(1_000_000))).toHaveLength(1_000_000)
    expect(visibleLine('\u{e0067}'.repeat(100_000))).toHaveLength(900_000)
  })
})

describe('visibleText', () => {
  test('keeps line breaks and tabs, and no other active character', () => {
    expect(visibleText('{\r\n\t"a": "\u001b[2J"\r}\n')).toBe('{\r\n\t"a": "␛[2J"␍}\n')
  })
})

describe('escapeActive', () => {
  test.each(hostileNames)('JSON.parse restores the original: %s', (_what, name) => {
    const escaped = escapeActive(name.replaceAll('\\', '\\\\'))
    expect(escaped).not.toMatch(activeCharacter)
    expect(JSON.parse(`"${escaped}"`)).toBe(name)
  })

  test('uses the given short forms', () => {
    expect(escapeActive('a\tb\u0001', { '\t': '\\t' })).toBe('a\\tb\\u0001')
  })
})
