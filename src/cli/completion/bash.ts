import { shellQuoted } from '../../platform/shell.ts'
import type { Place } from './model.ts'
import { argumentBranches, caseOf, valueBranches } from './shell.ts'

/** Works with the bash of macOS (3.2) too, and without the package bash-completion. */
export function bashScript(places: readonly Place[]): string {
  const words = places.map(({ path, words }) => ({
    patterns: [shellQuoted(path)],
    body: words.length === 0 ? '' : `words=${shellQuoted(words.map(({ name }) => name).join(' '))}`,
  }))
  const options = places.map((place) => ({
    patterns: [shellQuoted(place.path)],
    body: `options=${shellQuoted(place.options.flatMap(({ flags }) => flags).join(' '))}`,
  }))
  return `# Completion of petstore for bash, made from its commands: petstore completion bash

_petstore_words() {
  words=
${caseOf('$1', words, '  ')}
}

_petstore_options() {
  options=
${caseOf('$1', options, '  ')}
}

# What has to follow an option: _petstore_value COMMAND FLAG
_petstore_value() {
  wanted=
${caseOf('"$1 $2"', valueBranches(places), '  ')}
}

# What stands in a place of its own: _petstore_argument COMMAND POSITION
_petstore_argument() {
  wanted=
${caseOf('"$1 $2"', argumentBranches(places), '  ')}
}

_petstore_offer() {
  local list=
  case $1 in
    choices*) list=\${1#choices} ;;
    environments) list=$(command petstore __environments 2>/dev/null) ;;
    words*) list=\${1#words} ;;
    files)
      compopt -o filenames 2>/dev/null
      local file
      while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$2")
      return
      ;;
  esac
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$list" -- "$2")
}

_petstore() {
  COMPREPLY=()
  # bash takes --env=local apart at the sign; here it is one word again.
  local -a typed=()
  local word count=0 glued=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == '=' && $count -gt 0 && \${typed[count - 1]} == --* && \${typed[count - 1]} != *=* ]]; then
      typed[count - 1]+='='
      glued=1
    elif [[ -n $glued ]]; then
      typed[count - 1]+=$word
      glued=
    else
      typed[count]=$word
      count=$((count + 1))
    fi
  done

  local command='' words='' options='' wanted='' position=0 literal='' index
  for ((index = 0; index < count - 1; index++)); do
    word=\${typed[index]}
    if [[ -n $wanted ]]; then
      wanted=
      continue
    fi
    case $literal$word in
      --) literal=literal: ;;
      --*=*) ;;
      --*) _petstore_value "$command" "$word" ;;
      -?*) _petstore_value "$command" "-\${word:\${#word}-1}" ;;
      *)
        _petstore_words "$command"
        if [[ -z $literal && " $words " == *" $word "* ]]; then
          command="$command\${command:+ }$word"
        else
          position=$((position + 1))
        fi
        ;;
    esac
  done

  local current=\${typed[count - 1]}
  if [[ -n $wanted ]]; then
    _petstore_offer "$wanted" "$current"
  elif [[ -z $literal && $current == --*=* ]]; then
    _petstore_value "$command" "\${current%%=*}"
    _petstore_offer "$wanted" "\${current#*=}"
  else
    _petstore_words "$command"
    _petstore_options "$command"
    _petstore_argument "$command" "$position"
    if [[ -z $literal && $current == -?* ]]; then
      _petstore_offer "words $options" "$current"
    elif [[ -n $words ]]; then
      _petstore_offer "words $words" "$current"
    elif [[ -n $wanted ]]; then
      _petstore_offer "$wanted" "$current"
    elif [[ -z $literal ]]; then
      _petstore_offer "words $options" "$current"
    fi
  fi
}

complete -F _petstore petstore
`
}
