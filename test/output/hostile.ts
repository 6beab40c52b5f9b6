/** Names of pets that attack a terminal, each with its attack. */
export const hostileNames: readonly (readonly [what: string, name: string])[] = [
  ['NUL', 'a\u0000b'],
  ['bell', 'a\u0007b'],
  ['backspace', 'safe\b\b\b\bevil'],
  ['tab', 'a\tb'],
  ['newline', 'a\nb'],
  ['carriage return', 'real\rfake'],
  ['CRLF', 'a\r\nb'],
  ['vertical tab, form feed', 'a\u000b\u000cb'],
  ['CSI: clear the screen', '\u001b[2J\u001b[H'],
  ['CSI: hidden text', '\u001b[8mhidden\u001b[0m'],
  ['OSC 8: a link', '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\'],
  ['OSC 52: the clipboard', '\u001b]52;c;ZXZpbA==\u0007'],
  ['OSC 0: the title', '\u001b]0;owned\u0007'],
  ['DCS: a device string', '\u001bP$qm\u001b\\'],
  ['DEL', 'a\u007fb'],
  ['C1 CSI', 'a\u009b2Jb'],
  ['C1 OSC', 'a\u009d52;c;ZXZpbA==\u009cb'],
  ['C1 DCS', 'a\u0090$qm\u009cb'],
  ['NEL', 'a\u0085b'],
  ['bidirectional override', 'photo_\u202egpj.exe'],
  ['bidirectional isolates', '\u2066a\u2069\u2067b\u2069'],
  ['zero-width space', 'a\u200bb'],
  ['zero-width non-joiners in a row', 'a\u200c\u200cb'],
  ['a joiner between letters', 'ad\u200dmin'],
  ['byte order mark', '\ufeffa'],
  ['soft hyphen', 'a\u00adb'],
  ['line and paragraph separator', 'a\u2028b\u2029c'],
  ['tag characters', 'a\u{e0041}\u{e007f}b'],
  ['annotation', 'a\ufff9b\ufffac\ufffbd'],
  ['high surrogate alone', 'a\ud800b'],
  ['low surrogate alone', 'a\udc00b']
]

/** Harmless names that are hard to escape. */
export const awkwardNames: readonly string[] = [
  '',
  ' ',
  ' Rex ',
  'Rex, the dog',
  'a "quoted" name',
  '"',
  "O'Malley",
  'back\\slash',
  'C:\\new\\table',
  '\\u0041',
  '\\',
  '=1+1',
  '-',
  '#comment',
  'null',
  '日本語の猫',
  '고양이',
  'e\u0301clair',
  '🐶',
  '👩🏽‍🚀 and 👨‍👩‍👧‍👦',
  '🏳️‍🌈🇯🇵',
  'שלום',
  'ශ්‍රී',
  'می\u200cخواهم',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '\u0600١٢'
]

/**
 * Characters that must never reach a terminal in a cell or a message, except those that some text
 * needs.
 */
export const activeCharacter =
  /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}\u0600-\u0605\u06dd\u08e2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
