import { shellQuoted } from '../platform/shell.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/**
 * A small script that asks the program at each TAB, through `__complete`. It calls `petstore`, or the executable at
 * this path.
 */
export function completionScript(shell: Shell, path = 'petstore'): string {
  const name = path.replace(/.*\//s, '')
  return scripts[shell]
    .replace('command petstore ', () => `command ${shellQuoted(path)} `)
    .replace(
      /(complete -F _petstore|compdef _petstore|complete -c) petstore/,
      (_, words) => `${words} ${shellQuoted(name)}`,
    )
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of petstore for bash. At each TAB it runs the program.
# It works with bash 3.2 (macOS) and without the package bash-completion.

_petstore_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$1")
}

_petstore() {
  COMPREPLY=()
  # After a redirection, every command takes a file.
  local redirection='^[0-9]*(&?>[>|&]?|<[<>&]?)$'
  if [[ \${COMP_WORDS[COMP_CWORD - 1]} =~ $redirection ]]; then
    _petstore_files "\${COMP_WORDS[COMP_CWORD]}"
    return
  fi

  # bash splits --env=local at the sign; this joins it again.
  local -a words=()
  local word count=0 joins=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == '=' && $count -gt 0 && \${words[count - 1]} == --* && \${words[count - 1]} != *=* ]]; then
      words[count - 1]+='='
      joins=yes
    elif [[ -n $joins ]]; then
      words[count - 1]+=$word
      joins=
    else
      words[count]=$word
      count=$((count + 1))
    fi
  done

  local line current=\${words[count - 1]}
  if [[ $current == --*=* ]]; then current=\${current#*=}; fi
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _petstore_files "$current"
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(command petstore __complete -- "\${words[@]}" 2>/dev/null)
}

complete -F _petstore petstore`,

  zsh: `#compdef petstore
# Completion of petstore for zsh. At each TAB it runs the program.

_petstore() {
  local -a lines described
  local line word
  lines=("\${(@f)$(command petstore __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ \${words[CURRENT]} == --*=* ]]; then compset -P '*='; fi
  if [[ \${lines[1]} == :files ]]; then
    _files
    return
  fi
  for line in $lines; do
    # A colon separates a word from its description.
    word=\${line%%$'\\t'*}
    described+=("\${word//:/\\\\:}\${\${line:\${#word}}/$'\\t'/:}")
  done
  _describe petstore described
}

if [[ $funcstack[1] == _petstore ]]; then
  _petstore "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi`,

  fish: `# Completion of petstore for fish. At each TAB it runs the program.

function __petstore_complete
    set -l current (commandline -ct)
    set -q current[1]; or set current ''
    set -l words (commandline -opc) $current
    set -l lines (command petstore __complete -- $words[2..-1] 2>/dev/null)
    # Without words of the program, fish completes files as everywhere: after ~, in quotes, after an equals sign.
    test "$lines[1]" = :files; and return 1
    # fish needs the whole word; the program completes only the value.
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    set -g __petstore_words
    for line in $lines
        set -a __petstore_words "$prefix$line"
    end
    return 0
end

complete -c petstore -n __petstore_complete -f -a '$__petstore_words'`,
}
