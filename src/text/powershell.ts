import type { posixShell } from './posix-shell.ts'

/** Words and commands for PowerShell, the one that Windows has and the newer one. */
export const powerShell: typeof posixShell = {
  quoted: word => (safeWord.test(word) ? word : powerShell.value(word)),
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

const safeWord = /^(?:--)?[\w+:./\\][\w+:./\\=-]*$/

const commands: Readonly<Record<string, string>> = {
  // Without the ending, it is another command.
  curl: 'curl.exe',
  'mv -i': 'Move-Item'
}
