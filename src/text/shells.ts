/** Words and commands that bash, zsh, dash and fish read alike. */
export const posixShell = {
  /** In fish, a backslash is an escape inside quotes too. */
  quoted(word: string): string {
    if (safeInPosixShell.test(word)) return word
    if (word === '') return "''"
    return word.replace(/[^'\\]+|['\\]/g, part => {
      const isSpecial = part === "'" || part === '\\'
      return isSpecial ? `\\${part}` : `'${part}'`
    })
  },
  /**
   * Messages replace control and invisible characters, so `printf` writes a word that has such
   * characters. A shell cuts off the newlines at the end of what it prints: no hint can hold such a
   * word.
   */
  hintWord(word: string): string {
    if (!/[\p{C}\p{Zl}\p{Zp}]/u.test(word)) return posixShell.quoted(word)
    if (word.endsWith('\n')) return 'NAME'
    const escaped = word.replaceAll(/^-|[\p{C}\p{Zl}\p{Zp}'\\]/gu, octalEscapes)
    const format = escaped.replaceAll('%', '%%')
    return `"$(printf '${format}')"`
  },
  command: (name: string) => name,
  value: (text: string) => posixShell.quoted(text),
  variable: (name: string) => `$${name}`,
  setVariable: (name: string, expression: string) => `export ${name}=${expression}`,
  unsetVariable: (name: string) => `unset ${name}`,
  lineBreak: ' \\\n  '
}

/**
 * zsh replaces a word with a leading equals sign by the path of a command, and fish `%self` by its
 * process id.
 */
const safeInPosixShell = /^(?![=%])[\w@%+=:,./-]+$/

function octalEscapes(character: string) {
  const bytes = [...Buffer.from(character)]
  const escapes = bytes.map(byte => {
    const octal = byte.toString(8)
    return `\\${octal.padStart(3, '0')}`
  })
  return escapes.join('')
}

/** Words and commands for PowerShell, the one that Windows has and the newer one. */
export const powerShell: typeof posixShell = {
  quoted: word => (safeInPowerShell.test(word) ? word : powerShell.value(word)),
  /** The older one loses double quotes in the arguments of a program. */
  hintWord: word => (/["\p{C}\p{Zl}\p{Zp}]/u.test(word) ? 'NAME' : powerShell.quoted(word)),
  command: name => commands[name] ?? name,
  /** Curved quotes count as straight ones. */
  value: text => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`,
  variable: name => `$env:${name}`,
  setVariable: (name, expression) => `${powerShell.variable(name)} = ${expression}`,
  unsetVariable: name => `Remove-Item Env:${name}`,
  lineBreak: ' `\n  '
}

const safeInPowerShell = /^(?:--)?[\w+:./\\][\w+:./\\=-]*$/

const commands: Readonly<Record<string, string>> = {
  // Without the ending, it is another command.
  curl: 'curl.exe',
  'mv -i': 'Move-Item'
}
