import { shellQuoted } from '../../platform/shell.ts'
import type { Place } from './model.ts'
import { argumentBranches, caseOf, valueBranches } from './shell.ts'

/** A file for a directory of `fpath`; sourcing it works as well. */
export function zshScript(places: readonly Place[]): string {
  const described = (name: string, description: string) => shellQuoted(`${name}:${description}`)
  const words = places.map(({ path, words }) => ({
    patterns: [shellQuoted(path)],
    body: list(
      'words_here',
      words.map(({ name, description }) => described(name, description)),
    ),
  }))
  const options = places.map((place) => ({
    patterns: [shellQuoted(place.path)],
    body: list(
      'options_here',
      place.options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description))),
    ),
  }))
  return `#compdef petstore
# Completion of petstore for zsh, made from its commands: petstore completion zsh

_petstore_words() {
  words_here=()
${caseOf('$1', words, '  ')}
}

_petstore_options() {
  options_here=()
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
  local -a names
  case $1 in
    choices*) names=(\${=1#choices}) ;;
    environments) names=(\${(f)"$(command petstore __environments 2>/dev/null)"}) ;;
    files) _files; return ;;
    *) _message text; return ;;
  esac
  compadd -a names
}

_petstore() {
  local command='' wanted='' literal='' word
  local -a words_here options_here
  integer position=0 index
  for ((index = 2; index < CURRENT; index++)); do
    word=\${(Q)words[index]}
    if [[ -n $wanted ]]; then
      wanted=
      continue
    fi
    case $literal$word in
      --) literal=literal: ;;
      --*=*) ;;
      --*) _petstore_value "$command" "$word" ;;
      -?*) _petstore_value "$command" "-\${word[-1]}" ;;
      *)
        _petstore_words "$command"
        if [[ -z $literal && -n \${words_here[(r)$word:*]} ]]; then
          command="$command\${command:+ }$word"
        else
          ((position += 1))
        fi
        ;;
    esac
  done

  local current=\${words[CURRENT]}
  if [[ -n $wanted ]]; then
    _petstore_offer "$wanted"
  elif [[ -z $literal && $current == --*=* ]]; then
    _petstore_value "$command" "\${current%%=*}"
    compset -P '*='
    _petstore_offer "$wanted"
  else
    _petstore_words "$command"
    _petstore_options "$command"
    _petstore_argument "$command" "$position"
    if [[ -z $literal && $current == -?* ]]; then
      _describe -o option options_here
    elif (( $#words_here )); then
      _describe command words_here
    elif [[ -n $wanted ]]; then
      _petstore_offer "$wanted"
    elif [[ -z $literal ]]; then
      # With -o zsh would want a dash first.
      _describe option options_here
    fi
  fi
}

if [[ $funcstack[1] == _petstore ]]; then
  _petstore "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi
`
}

function list(variable: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${variable}=(${items.map((item) => `\n      ${item}`).join('')}\n    )`
}
