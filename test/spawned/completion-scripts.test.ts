import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { binPath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

/**
 * What a shell decides: quoting, `=`, files, redirections. What the program offers is in
 * test/cli/complete.test.ts. The directory has pups.json, my pets.json and notes/.
 */
const lines = [
  ['petstore pets l', 'ist '],
  ['petstore pets list --status=s', 'old '],
  ['petstore --env=l', 'ocal '],
  ['petstore pets add --file=pu', 'ps.json '],
  ['petstore pets add --file my', '\\ pets.json '],
  ['petstore pets add --file no', 'tes/'],
  ['petstore pets import ~/here/pu', 'ps.json '],
  ['petstore pets import "pu', 'ps.json" '],
  ['petstore pets import my\\ p', 'ets.json '],
  ['petstore pets list > pu', 'ps.json ']
] as const

interface Shell {
  readonly command: readonly string[]
  /** Makes the shell show a list at the first TAB, and the prompt `> `. */
  readonly setUp: readonly string[]
}

/**
 * `abandon` is Ctrl-E and Ctrl-U, which delete the line; Ctrl-C would also discard the keys behind
 * it.
 */
const keys = { tab: '\t', enter: '\r', abandon: '\u0005\u0015' }

const shells: Readonly<Record<string, Shell>> = {
  bash: {
    command: ['bash', '--norc', '--noprofile', '-i'],
    setUp: [
      "bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'",
      'eval "$(petstore completion bash)"'
    ]
  },
  zsh: {
    command: ['zsh', '-f', '-i'],
    setUp: [
      'setopt no_list_ambiguous no_list_beep; LISTMAX=1000',
      'eval "$(petstore completion zsh)"'
    ]
  },
  fish: {
    command: ['fish', '--private', '-i'],
    setUp: [
      "function fish_prompt; echo -n '> '; end; set -g fish_autosuggestion_enabled 0",
      'mkdir -p ~/.config/fish/completions; petstore completion fish > ~/.config/fish/completions/petstore.fish'
    ]
  }
}

describe.each(Object.entries(shells))('TAB in %s', (name, shell) => {
  needs('tmux', name)('on the screen', () => {
    test('completes commands, options, choices, environments and files', {
      timeout: 120_000
    }, async () => {
      const press = await openShell(shell)
      for (const [typed, rest] of lines) await press(typed, mark, `> ${typed}${rest}${mark}`)
      await press('petstore config ', '', 'unset')
    })
  })
})

needs('bash')('bash without compopt', () => {
  test('gets file names quoted, because it does not quote them itself', () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, ';touch pwned;.json'), '{}')
    const script = `
      compopt() { return 1; }
      source "$0"
      COMP_WORDS=(petstore pets import ';') COMP_CWORD=3
      _petstore
      printf '%s' "\${COMPREPLY[*]}"`
    const file = fileURLToPath(new URL('../../completions/petstore.bash', import.meta.url))
    const PATH = join(cwd, 'programs')
    mkdirSync(PATH)
    writeFileSync(join(PATH, 'petstore'), '#!/bin/sh\necho :files\n', { mode: 0o755 })
    const { stdout } = spawnSync('/bin/bash', ['-c', script, file], {
      cwd,
      env: { PATH },
      encoding: 'utf8'
    })
    expect(stdout).toBe('\\;touch\\ pwned\\;.json')
  })
})

async function openShell({ command, setUp }: Shell) {
  const home = temporaryDirectory()
  const programs = join(home, 'programs')
  const cwd = join(home, 'here')
  // Without it, fish goes on writing completions from man pages when it has ended.
  const generated = join(home, '.local/share/fish/generated_completions')
  for (const directory of [programs, generated, join(cwd, 'notes')])
    mkdirSync(directory, { recursive: true })
  for (const file of ['pups.json', 'my pets.json']) writeFileSync(join(cwd, file), '{}')
  symlinkSync(binPath, join(programs, 'petstore'))
  const env = { PATH: `${programs}:${process.env.PATH}`, PS1: '> ', HISTFILE: '' }
  const terminal = await openTerminal(command, { columns: 160, rows: 60, home, cwd, env })

  const clear = async () => {
    await terminal.type(`${keys.abandon}clear${keys.enter}`)
    await terminal.waitFor(/^\s*>\s*$/)
  }
  const press = async (typed: string, after: string, shown: string) => {
    await terminal.type(typed + keys.tab + after)
    await terminal.waitFor(shown, { within: 8_000 })
    await clear()
  }

  await terminal.waitFor(/[>#$]$/)
  for (const line of setUp) await terminal.type(line + keys.enter)
  await terminal.type(`echo re""ady${keys.enter}`)
  await terminal.waitFor(/^ready$/m)
  await clear()
  return press
}

/**
 * Typed after TAB. A shell handles keys in order: when the mark is on the screen, so is the effect
 * of TAB.
 */
const mark = '@'
