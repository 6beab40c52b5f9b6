# Completion of petstore for bash, made from its commands: petstore completion bash

_petstore_words() {
  words=
  case $1 in
    '') words='pets messages auth env config api serve doctor completion commands help' ;;
    pets | 'help pets') words='list get add import' ;;
    messages | 'help messages') words=send ;;
    auth | 'help auth') words='login status token logout' ;;
    env | 'help env') words='list use set unset' ;;
    config | 'help config') words='list get set unset path' ;;
    help) words='pets messages auth env config api serve doctor completion commands help environment exit-codes formats import security' ;;
  esac
}

_petstore_options() {
  options=
  case $1 in
    '' | pets | messages | auth | env | config) options='-e --env -o --output --json --fields --jq --int64 --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input -V --version -h --help' ;;
    'pets list') options='--status --limit --watch -h --help -e --env -o --output --json --fields --jq --int64 --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    'pets get' | 'messages send' | 'config list' | doctor) options='-h --help -e --env -o --output --json --fields --jq --int64 --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    'pets add') options='--name --category-id --status --file -h --help -e --env -o --output --json --fields --jq --int64 --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    'pets import') options='--format --concurrency --journal --restart --check --rejects --stop-on-error --resend-doubtful -h --help -e --env -o --output --json --fields --jq --int64 --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    'auth login') options='--base-url --messages-url --no-verify -h --help -e --env --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    'auth status') options='--no-verify -h --help -e --env -o --output --json --fields --jq --int64 --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    'auth token') options='-h --help -e --env -q --quiet -v --verbose --color --no-color --no-input' ;;
    'auth logout') options='--all -h --help -e --env -q --quiet -v --verbose --color --no-color --no-input' ;;
    'env list') options='-h --help -e --env -o --output --json --fields --jq --int64 -q --quiet -v --verbose --color --no-color --no-input' ;;
    'env use' | 'config get' | 'config set' | 'config unset' | 'config path' | completion | help | 'help pets' | 'help pets list' | 'help pets get' | 'help pets add' | 'help pets import' | 'help messages' | 'help messages send' | 'help auth' | 'help auth login' | 'help auth status' | 'help auth token' | 'help auth logout' | 'help env' | 'help env list' | 'help env use' | 'help env set' | 'help env unset' | 'help config' | 'help config list' | 'help config get' | 'help config set' | 'help config unset' | 'help config path' | 'help api' | 'help serve' | 'help doctor' | 'help completion' | 'help commands') options='-h --help -q --quiet -v --verbose --color --no-color --no-input' ;;
    'env set') options='--base-url --messages-url -h --help -q --quiet -v --verbose --color --no-color --no-input' ;;
    'env unset') options='--yes -h --help -q --quiet -v --verbose --color --no-color --no-input' ;;
    api) options='--messages -f --raw-field -F --field --file -H --header -i --include -h --help -e --env --jq --timeout --retries --dry-run -q --quiet -v --verbose --color --no-color --no-input' ;;
    serve) options='--port --host --data --empty --latency --fail --fail-with --seed -h --help -o --output --json --jq --int64 -q --quiet -v --verbose --color --no-color --no-input' ;;
    commands) options='-h --help -o --output --json --jq --int64 -q --quiet -v --verbose --color --no-color --no-input' ;;
  esac
}

# What has to follow an option: _petstore_value COMMAND FLAG
_petstore_value() {
  wanted=
  case "$1 $2" in
    ' -e' | ' --env' | 'pets -e' | 'pets --env' | 'pets list -e' | 'pets list --env' | 'pets get -e' | 'pets get --env' | 'pets add -e' | 'pets add --env' | 'pets import -e' | 'pets import --env' | 'messages -e' | 'messages --env' | 'messages send -e' | 'messages send --env' | 'auth -e' | 'auth --env' | 'auth login -e' | 'auth login --env' | 'auth status -e' | 'auth status --env' | 'auth token -e' | 'auth token --env' | 'auth logout -e' | 'auth logout --env' | 'env -e' | 'env --env' | 'env list -e' | 'env list --env' | 'config -e' | 'config --env' | 'config list -e' | 'config list --env' | 'api -e' | 'api --env' | 'doctor -e' | 'doctor --env') wanted=environments ;;
    ' -o' | ' --output' | 'pets -o' | 'pets --output' | 'pets list -o' | 'pets list --output' | 'pets get -o' | 'pets get --output' | 'pets add -o' | 'pets add --output' | 'pets import -o' | 'pets import --output' | 'messages -o' | 'messages --output' | 'messages send -o' | 'messages send --output' | 'auth -o' | 'auth --output' | 'auth status -o' | 'auth status --output' | 'env -o' | 'env --output' | 'env list -o' | 'env list --output' | 'config -o' | 'config --output' | 'config list -o' | 'config list --output' | 'serve -o' | 'serve --output' | 'doctor -o' | 'doctor --output' | 'commands -o' | 'commands --output') wanted='choices table json ndjson csv tsv' ;;
    ' --fields' | ' --jq' | ' --timeout' | ' --retries' | 'pets --fields' | 'pets --jq' | 'pets --timeout' | 'pets --retries' | 'pets list --limit' | 'pets list --fields' | 'pets list --jq' | 'pets list --timeout' | 'pets list --retries' | 'pets get --fields' | 'pets get --jq' | 'pets get --timeout' | 'pets get --retries' | 'pets add --name' | 'pets add --category-id' | 'pets add --fields' | 'pets add --jq' | 'pets add --timeout' | 'pets add --retries' | 'pets import --concurrency' | 'pets import --fields' | 'pets import --jq' | 'pets import --timeout' | 'pets import --retries' | 'messages --fields' | 'messages --jq' | 'messages --timeout' | 'messages --retries' | 'messages send --fields' | 'messages send --jq' | 'messages send --timeout' | 'messages send --retries' | 'auth --fields' | 'auth --jq' | 'auth --timeout' | 'auth --retries' | 'auth login --base-url' | 'auth login --messages-url' | 'auth login --timeout' | 'auth login --retries' | 'auth status --fields' | 'auth status --jq' | 'auth status --timeout' | 'auth status --retries' | 'env --fields' | 'env --jq' | 'env --timeout' | 'env --retries' | 'env list --fields' | 'env list --jq' | 'env set --base-url' | 'env set --messages-url' | 'config --fields' | 'config --jq' | 'config --timeout' | 'config --retries' | 'config list --fields' | 'config list --jq' | 'config list --timeout' | 'config list --retries' | 'api -f' | 'api --raw-field' | 'api -F' | 'api --field' | 'api -H' | 'api --header' | 'api --jq' | 'api --timeout' | 'api --retries' | 'serve --port' | 'serve --host' | 'serve --latency' | 'serve --fail' | 'serve --fail-with' | 'serve --seed' | 'serve --jq' | 'doctor --fields' | 'doctor --jq' | 'doctor --timeout' | 'doctor --retries' | 'commands --jq') wanted=text ;;
    ' --int64' | 'pets --int64' | 'pets list --int64' | 'pets get --int64' | 'pets add --int64' | 'pets import --int64' | 'messages --int64' | 'messages send --int64' | 'auth --int64' | 'auth status --int64' | 'env --int64' | 'env list --int64' | 'config --int64' | 'config list --int64' | 'serve --int64' | 'doctor --int64' | 'commands --int64') wanted='choices string' ;;
    ' --color' | 'pets --color' | 'pets list --color' | 'pets get --color' | 'pets add --color' | 'pets import --color' | 'messages --color' | 'messages send --color' | 'auth --color' | 'auth login --color' | 'auth status --color' | 'auth token --color' | 'auth logout --color' | 'env --color' | 'env list --color' | 'env use --color' | 'env set --color' | 'env unset --color' | 'config --color' | 'config list --color' | 'config get --color' | 'config set --color' | 'config unset --color' | 'config path --color' | 'api --color' | 'serve --color' | 'doctor --color' | 'completion --color' | 'commands --color' | 'help --color' | 'help pets --color' | 'help pets list --color' | 'help pets get --color' | 'help pets add --color' | 'help pets import --color' | 'help messages --color' | 'help messages send --color' | 'help auth --color' | 'help auth login --color' | 'help auth status --color' | 'help auth token --color' | 'help auth logout --color' | 'help env --color' | 'help env list --color' | 'help env use --color' | 'help env set --color' | 'help env unset --color' | 'help config --color' | 'help config list --color' | 'help config get --color' | 'help config set --color' | 'help config unset --color' | 'help config path --color' | 'help api --color' | 'help serve --color' | 'help doctor --color' | 'help completion --color' | 'help commands --color') wanted='choices auto always never' ;;
    'pets list --status' | 'pets add --status') wanted='choices available pending sold' ;;
    'pets add --file' | 'pets import --journal' | 'pets import --rejects' | 'api --file' | 'serve --data') wanted=files ;;
    'pets import --format') wanted='choices ndjson json csv' ;;
  esac
}

# What stands in a place of its own: _petstore_argument COMMAND POSITION
_petstore_argument() {
  wanted=
  case "$1 $2" in
    'pets import 0') wanted=files ;;
    'env use 0' | 'env set 0' | 'env unset 0') wanted=environments ;;
    'config get 0' | 'config set 0' | 'config unset 0') wanted='choices output timeout retries color' ;;
    'completion 0') wanted='choices bash zsh fish' ;;
  esac
}

_petstore_offer() {
  local list=
  case $1 in
    choices*) list=${1#choices} ;;
    environments) list=$(command petstore __environments 2>/dev/null) ;;
    words*) list=${1#words} ;;
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
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == '=' && $count -gt 0 && ${typed[count - 1]} == --* && ${typed[count - 1]} != *=* ]]; then
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
    word=${typed[index]}
    if [[ -n $wanted ]]; then
      wanted=
      continue
    fi
    case $literal$word in
      --) literal=literal: ;;
      --*=*) ;;
      --*) _petstore_value "$command" "$word" ;;
      -?*) _petstore_value "$command" "-${word:${#word}-1}" ;;
      *)
        _petstore_words "$command"
        if [[ -z $literal && " $words " == *" $word "* ]]; then
          command="$command${command:+ }$word"
        else
          position=$((position + 1))
        fi
        ;;
    esac
  done

  local current=${typed[count - 1]}
  if [[ -n $wanted ]]; then
    _petstore_offer "$wanted" "$current"
  elif [[ -z $literal && $current == --*=* ]]; then
    _petstore_value "$command" "${current%%=*}"
    _petstore_offer "$wanted" "${current#*=}"
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
