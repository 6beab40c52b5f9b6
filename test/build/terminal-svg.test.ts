import { describe, expect, test } from 'vitest'
import { readRuns, terminalSvg, themes } from '../../build/terminal-svg.js'

const introducer = '\u001b['

describe('a screen as a picture', () => {
  test('keeps colors, weights and columns', () => {
    expect(readRuns(`${introducer}1mid  ${introducer}0mname ${introducer}31;2mred${introducer}39mfaint`)).toEqual([
      { text: 'id', column: 0, isBold: true, isFaint: false, color: undefined },
      { text: 'name', column: 4, isBold: false, isFaint: false, color: undefined },
      { text: 'red', column: 9, isBold: false, isFaint: true, color: 1 },
      { text: 'faint', column: 12, isBold: false, isFaint: true, color: undefined },
    ])
  })

  test('is well-formed XML with any text', () => {
    const svg = terminalSvg('a <b> & c\n\nlast\n\n', { theme: themes.dark, columns: 10, title: '<t>' })
    expect(svg).toContain('>a &lt;b&gt; &amp; c</text>')
    expect(svg).toContain('<title>&lt;t&gt;</title>')
    expect(svg.match(/<text /g)).toHaveLength(2)
    expect(svg).toContain('height="92"')
  })
})
