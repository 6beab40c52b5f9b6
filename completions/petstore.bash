# Completion of petstore for bash. At each TAB it runs the program.
# It works with bash 3.2 (macOS) and without the package bash-completion.

_petstore_files() {
  local file form=%s
  # bash quotes file names itself, but only if it is told that they are some, which bash 3.2 has no way to do.
  compopt -o filenames 2>/dev/null || form=%q
  while IFS= read -r file; do COMPREPLY+=("$(printf "$form" "$file")"); done < <(compgen -f -- "$1")
}

_petstore() {
  COMPREPLY=()
  # After a redirection, every command takes a file.
  local redirection='^[0-9]*(&?>[>|&]?|<[<>&]?)$'
  if [[ ${COMP_WORDS[COMP_CWORD - 1]} =~ $redirection ]]; then
    _petstore_files "${COMP_WORDS[COMP_CWORD]}"
    return
  fi

  # bash splits --env=local at the sign; this joins it again.
  local -a words=()
  local word count=0 joins=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == '=' && $count -gt 0 && ${words[count - 1]} == --* && ${words[count - 1]} != *=* ]]; then
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

  local line current=${words[count - 1]}
  if [[ $current == --*=* ]]; then current=${current#*=}; fi
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _petstore_files "$current"
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <(command petstore __complete -- "${words[@]}" 2>/dev/null)
}

complete -F _petstore petstore
