import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { binPath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

interface Pressed {
  readonly typed: string
  /** The line after TAB; the line as typed if nothing fits. */
  readonly becomes?: string
  /** Words that the screen must list, and words that it must not list. */
  readonly offers?: readonly string[]
  readonly hides?: readonly string[]
}

const to = (typed: string, rest: string): Pressed => ({ typed, becomes: typed + rest })
const list = (
  typed: string,
  offers: readonly string[],
  hides: readonly string[] = []
): Pressed => ({
  typed,
  offers,
  hides
})

/**
 * What a shell decides: quoting, `=`, files, redirections. What the program offers is in
 * test/cli/complete.test.ts. The directory has pups.json, my pets.json and notes/.
 */
const lines: readonly Pressed[] = [
  list(
    'petstore ',
    ['pets', 'messages', 'auth', 'env', 'completion', 'help'],
    ['__complete', '--json', 'whoami']
  ),
  to('petstore pets l', 'ist '),
  list('petstore pets list --no-', ['--no-color', '--no-input'], ['--no-verify']),
  to('petstore pets list --status=s', 'old '),
  to('petstore --env=l', 'ocal '),

  to('petstore pets add --file=pu', 'ps.json '),
  to('petstore pets add --file my', '\\ pets.json '),
  to('petstore pets add --file no', 'tes/'),
  to('petstore pets import ~/here/pu', 'ps.json '),
  to('petstore pets import "pu', 'ps.json" '),
  to('petstore pets import my\\ p', 'ets.json '),
  to('petstore pets list > pu', 'ps.json ')
]

const unasked = list('petstore pets list ', ['--status', '--limit', '--env'])

interface Shell {
  readonly command: readonly string[]
  /** Makes the shell show a list at the first TAB, and the prompt `> `. */
  readonly setUp: readonly string[]
  /** Whether the shell offers options before a dash is typed. */
  readonly offersOptionsUnasked: boolean
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
    ],
    offersOptionsUnasked: true
  },
  zsh: {
    command: ['zsh', '-f', '-i'],
    setUp: [
      'setopt no_list_ambiguous no_list_beep; LISTMAX=1000',
      'eval "$(petstore completion zsh)"'
    ],
    offersOptionsUnasked: true
  },
  fish: {
    command: ['fish', '--private', '-i'],
    setUp: [
      "function fish_prompt; echo -n '> '; end; set -g fish_autosuggestion_enabled 0",
      'mkdir -p ~/.config/fish/completions; petstore completion fish > ~/.config/fish/completions/petstore.fish'
    ],
    offersOptionsUnasked: false
  }
}

describe.each(Object.entries(shells))('TAB in %s', (name, shell) => {
  needs('tmux', name)('on the screen', () => {
    test('completes commands, options, choices, environments and files', {
      timeout: 120_000
    }, async () => {
      const { press } = await openShell(shell)
      const failures: string[] = []
      for (const line of shell.offersOptionsUnasked ? [...lines, unasked] : lines) {
        const failure = await press(line).catch((error: unknown) => String(error))
        if (failure !== undefined) failures.push(`${line.typed}<TAB>: ${failure}`)
      }
      expect(failures).toEqual([])
    })
  })
})

needs(
  'tmux',
  'fish',
  'zsh'
)('descriptions', () => {
  test.each(['fish', 'zsh'])('are shown in %s', async name => {
    const { terminal, clear } = await openShell(shells[name] as Shell)
    await terminal.type(`petstore pets ${keys.tab}`)
    await terminal.waitFor('list pets')
    await clear()
    await terminal.type(`petstore pets list --${keys.tab}`)
    await terminal.waitFor('only pets with this status')
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

needs('tmux', 'zsh')('the completions directory in fpath', () => {
  test('works like the sourced script', async () => {
    const directory = fileURLToPath(new URL('../../completions', import.meta.url))
    const zsh = shells.zsh as Shell
    const { press } = await openShell({
      ...zsh,
      setUp: [
        'setopt no_list_ambiguous',
        `fpath=('${directory}' $fpath); autoload -Uz compinit; compinit -u`
      ]
    })
    // The first TAB loads the file; at the second, it is already loaded.
    for (const line of [
      to('petstore pets l', 'ist '),
      to('petstore pets list --status=s', 'old ')
    ]) {
      expect(await press(line)).toBeUndefined()
    }
  })
})

async function openShell({ command, setUp }: Shell) {
  const home = temporaryDirectory()
  const programs = join(home, 'programs')
  const cwd = join(home, 'here')
  for (const directory of [programs, join(cwd, 'notes')]) mkdirSync(directory, { recursive: true })
  // fish makes completions from installed man pages; those of the program come first.
  const ofManPages = join(home, '.local', 'share', 'fish', 'generated_completions')
  mkdirSync(ofManPages, { recursive: true })
  writeFileSync(join(ofManPages, 'petstore.fish'), 'complete -c petstore -l from-man-page\n')
  for (const file of ['pups.json', 'my pets.json']) writeFileSync(join(cwd, file), '{}')
  symlinkSync(binPath, join(programs, 'petstore'))
  const env = { PATH: `${programs}:${process.env.PATH}`, PS1: '> ', HISTFILE: '' }
  const terminal = await openTerminal(command, { columns: 160, rows: 60, home, cwd, env })

  const clear = async () => {
    await terminal.type(`${keys.abandon}clear${keys.enter}`)
    await terminal.waitFor(/^\s*>\s*$/)
  }
  const press = async ({ typed, becomes, offers = [], hides = [] }: Pressed) => {
    await terminal.type(typed + keys.tab + (becomes === undefined ? '' : mark))
    const wanted = becomes === undefined ? offers : [`> ${becomes}${mark}`]
    const shown = await terminal.waitFor(allOf(wanted), { within: 8_000 }).finally(clear)
    const wrong = hides.filter(word => shown.includes(word))
    return wrong.length === 0 ? undefined : `${wrong.join(', ')} must not show:\n${shown}`
  }

  await terminal.waitFor(/[>#$]$/)
  for (const line of setUp) await terminal.type(line + keys.enter)
  await terminal.type(`echo re""ady${keys.enter}`)
  await terminal.waitFor(/^ready$/m)
  await clear()
  return { terminal, press, clear }
}

/**
 * Typed after TAB. A shell handles keys in order: when the mark is on the screen, so is the effect
 * of TAB.
 */
const mark = '@'

/** All texts, each as a separate word, in any order. */
const allOf = (texts: readonly string[]) =>
  new RegExp(
    texts
      .map(text => `(?=[^]*(?:^|\\s)${text.replace(/[\\^$*+?.()|[\]{}]/g, '\\$&')}(?:[\\s,]|$))`)
      .join('')
  )
