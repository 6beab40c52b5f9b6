# Completion of petstore for fish, made from its commands: petstore completion fish

# The words that lead to where the cursor is, and behind a bar how many arguments have been there since.
function __petstore_place
    set -l words (commandline -opc)
    set -l place ''
    set -l position 0
    set -l takes_value ''
    set -l literal ''
    for word in $words[2..-1]
        if test -n "$takes_value"
            set takes_value ''
        else if test -n "$literal"
            set position (math $position + 1)
        else if test "$word" = --
            set literal yes
        else if string match -qr -- '^--.*=' $word
            continue
        else if string match -qr -- '^-.' $word
            set -l flag $word
            string match -q -- '--*' $word; or set flag -(string sub -s -1 -- $word)
            contains -- "$place $flag" $__petstore_options_with_values; and set takes_value yes
        else if contains -- (string trim -- "$place $word") $__petstore_places
            set place (string trim -- "$place $word")
        else
            set position (math $position + 1)
        end
    end
    echo "$place|$position|$literal"
end

function __petstore_at
    contains -- (__petstore_place) $argv'|'
end

function __petstore_within
    string match -qr -- '\|$' (__petstore_place); and contains -- (string replace -r -- '\|.*' '' (__petstore_place)) $argv
end

set -g __petstore_places 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'
set -g __petstore_options_with_values ' -e' ' --env' ' -o' ' --output' ' --fields' ' --jq' ' --int64' ' --timeout' ' --retries' ' --color' 'pets -e' 'pets --env' 'pets -o' 'pets --output' 'pets --fields' 'pets --jq' 'pets --int64' 'pets --timeout' 'pets --retries' 'pets --color' 'pets list --status' 'pets list --limit' 'pets list -e' 'pets list --env' 'pets list -o' 'pets list --output' 'pets list --fields' 'pets list --jq' 'pets list --int64' 'pets list --timeout' 'pets list --retries' 'pets list --color' 'pets get -e' 'pets get --env' 'pets get -o' 'pets get --output' 'pets get --fields' 'pets get --jq' 'pets get --int64' 'pets get --timeout' 'pets get --retries' 'pets get --color' 'pets add --name' 'pets add --category-id' 'pets add --status' 'pets add --file' 'pets add -e' 'pets add --env' 'pets add -o' 'pets add --output' 'pets add --fields' 'pets add --jq' 'pets add --int64' 'pets add --timeout' 'pets add --retries' 'pets add --color' 'pets import --format' 'pets import --concurrency' 'pets import --journal' 'pets import --rejects' 'pets import -e' 'pets import --env' 'pets import -o' 'pets import --output' 'pets import --fields' 'pets import --jq' 'pets import --int64' 'pets import --timeout' 'pets import --retries' 'pets import --color' 'messages -e' 'messages --env' 'messages -o' 'messages --output' 'messages --fields' 'messages --jq' 'messages --int64' 'messages --timeout' 'messages --retries' 'messages --color' 'messages send -e' 'messages send --env' 'messages send -o' 'messages send --output' 'messages send --fields' 'messages send --jq' 'messages send --int64' 'messages send --timeout' 'messages send --retries' 'messages send --color' 'auth -e' 'auth --env' 'auth -o' 'auth --output' 'auth --fields' 'auth --jq' 'auth --int64' 'auth --timeout' 'auth --retries' 'auth --color' 'auth login --base-url' 'auth login --messages-url' 'auth login -e' 'auth login --env' 'auth login --timeout' 'auth login --retries' 'auth login --color' 'auth status -e' 'auth status --env' 'auth status -o' 'auth status --output' 'auth status --fields' 'auth status --jq' 'auth status --int64' 'auth status --timeout' 'auth status --retries' 'auth status --color' 'auth token -e' 'auth token --env' 'auth token --color' 'auth logout -e' 'auth logout --env' 'auth logout --color' 'env -e' 'env --env' 'env -o' 'env --output' 'env --fields' 'env --jq' 'env --int64' 'env --timeout' 'env --retries' 'env --color' 'env list -e' 'env list --env' 'env list -o' 'env list --output' 'env list --fields' 'env list --jq' 'env list --int64' 'env list --color' 'env use --color' 'env set --base-url' 'env set --messages-url' 'env set --color' 'env unset --color' 'config -e' 'config --env' 'config -o' 'config --output' 'config --fields' 'config --jq' 'config --int64' 'config --timeout' 'config --retries' 'config --color' 'config list -e' 'config list --env' 'config list -o' 'config list --output' 'config list --fields' 'config list --jq' 'config list --int64' 'config list --timeout' 'config list --retries' 'config list --color' 'config get --color' 'config set --color' 'config unset --color' 'config path --color' 'api -f' 'api --raw-field' 'api -F' 'api --field' 'api --file' 'api -H' 'api --header' 'api -e' 'api --env' 'api --jq' 'api --timeout' 'api --retries' 'api --color' 'serve --port' 'serve --host' 'serve --data' 'serve --latency' 'serve --fail' 'serve --fail-with' 'serve --seed' 'serve -o' 'serve --output' 'serve --jq' 'serve --int64' 'serve --color' 'doctor -e' 'doctor --env' 'doctor -o' 'doctor --output' 'doctor --fields' 'doctor --jq' 'doctor --int64' 'doctor --timeout' 'doctor --retries' 'doctor --color' 'completion --color' 'commands -o' 'commands --output' 'commands --jq' 'commands --int64' 'commands --color' 'help --color' 'help pets --color' 'help pets list --color' 'help pets get --color' 'help pets add --color' 'help pets import --color' 'help messages --color' 'help messages send --color' 'help auth --color' 'help auth login --color' 'help auth status --color' 'help auth token --color' 'help auth logout --color' 'help env --color' 'help env list --color' 'help env use --color' 'help env set --color' 'help env unset --color' 'help config --color' 'help config list --color' 'help config get --color' 'help config set --color' 'help config unset --color' 'help config path --color' 'help api --color' 'help serve --color' 'help doctor --color' 'help completion --color' 'help commands --color'

complete -c petstore -f
complete -c petstore -n "__petstore_at '|0'" -a 'pets' -d 'list, add, import and fetch animals'
complete -c petstore -n "__petstore_at '|0'" -a 'messages' -d 'send messages'
complete -c petstore -n "__petstore_at '|0'" -a 'auth' -d 'log in and out, look at keys'
complete -c petstore -n "__petstore_at '|0'" -a 'env' -d 'the environments and their addresses'
complete -c petstore -n "__petstore_at '|0'" -a 'config' -d 'preferences, and every setting in force'
complete -c petstore -n "__petstore_at '|0'" -a 'api' -d 'make a request of your own, with the key of the environment'
complete -c petstore -n "__petstore_at '|0'" -a 'serve' -d 'put the local service on a port of this machine'
complete -c petstore -n "__petstore_at '|0'" -a 'doctor' -d 'check this machine, the settings and the way to the service'
complete -c petstore -n "__petstore_at '|0'" -a 'completion' -d 'print the completion script for a shell'
complete -c petstore -n "__petstore_at '|0'" -a 'commands' -d 'describe the whole program in JSON, for other programs and for agents'
complete -c petstore -n "__petstore_at '|0'" -a 'help' -d 'help on a command or a topic'
complete -c petstore -n "__petstore_at 'pets|0'" -a 'list' -d 'show the animals of the store'
complete -c petstore -n "__petstore_at 'pets|0'" -a 'get' -d 'show one animal (deprecated)'
complete -c petstore -n "__petstore_at 'pets|0'" -a 'add' -d 'add an animal'
complete -c petstore -n "__petstore_at 'pets|0'" -a 'import' -d 'add many animals from a file'
complete -c petstore -n "__petstore_at 'messages|0'" -a 'send' -d 'send a message'
complete -c petstore -n "__petstore_at 'auth|0'" -a 'login' -d 'keep a key, once the service has accepted it'
complete -c petstore -n "__petstore_at 'auth|0'" -a 'status' -d 'which environment has a key, and whether it is accepted'
complete -c petstore -n "__petstore_at 'auth|0'" -a 'token' -d 'print the key in force'
complete -c petstore -n "__petstore_at 'auth|0'" -a 'logout' -d 'forget a kept key'
complete -c petstore -n "__petstore_at 'env|0'" -a 'list' -d 'the environments and their addresses'
complete -c petstore -n "__petstore_at 'env|0'" -a 'use' -d 'choose the environment to work on'
complete -c petstore -n "__petstore_at 'env|0'" -a 'set' -d 'set an environment\'s addresses, and make it where there is none'
complete -c petstore -n "__petstore_at 'env|0'" -a 'unset' -d 'forget an environment: its addresses and its key; of local, its data'
complete -c petstore -n "__petstore_at 'config|0'" -a 'list' -d 'all settings as they stand, each with its origin'
complete -c petstore -n "__petstore_at 'config|0'" -a 'get' -d 'print a preference as it is in force'
complete -c petstore -n "__petstore_at 'config|0'" -a 'set' -d 'keep a preference'
complete -c petstore -n "__petstore_at 'config|0'" -a 'unset' -d 'forget a preference: its default holds again'
complete -c petstore -n "__petstore_at 'config|0'" -a 'path' -d 'print where the config file is, or would be'
complete -c petstore -n "__petstore_at 'help|0'" -a 'pets' -d 'list, add, import and fetch animals'
complete -c petstore -n "__petstore_at 'help|0'" -a 'messages' -d 'send messages'
complete -c petstore -n "__petstore_at 'help|0'" -a 'auth' -d 'log in and out, look at keys'
complete -c petstore -n "__petstore_at 'help|0'" -a 'env' -d 'the environments and their addresses'
complete -c petstore -n "__petstore_at 'help|0'" -a 'config' -d 'preferences, and every setting in force'
complete -c petstore -n "__petstore_at 'help|0'" -a 'api' -d 'make a request of your own, with the key of the environment'
complete -c petstore -n "__petstore_at 'help|0'" -a 'serve' -d 'put the local service on a port of this machine'
complete -c petstore -n "__petstore_at 'help|0'" -a 'doctor' -d 'check this machine, the settings and the way to the service'
complete -c petstore -n "__petstore_at 'help|0'" -a 'completion' -d 'print the completion script for a shell'
complete -c petstore -n "__petstore_at 'help|0'" -a 'commands' -d 'describe the whole program in JSON, for other programs and for agents'
complete -c petstore -n "__petstore_at 'help|0'" -a 'help' -d 'help on a command or a topic'
complete -c petstore -n "__petstore_at 'help|0'" -a 'environment' -d 'environments, addresses, and the variables that are read'
complete -c petstore -n "__petstore_at 'help|0'" -a 'exit-codes' -d 'how a run can end'
complete -c petstore -n "__petstore_at 'help|0'" -a 'formats' -d 'what goes to stdout, and in which form'
complete -c petstore -n "__petstore_at 'help|0'" -a 'import' -d 'how many animals are added, and what happens when that is interrupted'
complete -c petstore -n "__petstore_at 'help|0'" -a 'security' -d 'where keys come from, where they are kept and where they go'
complete -c petstore -n "__petstore_at 'help pets|0'" -a 'list' -d 'show the animals of the store'
complete -c petstore -n "__petstore_at 'help pets|0'" -a 'get' -d 'show one animal (deprecated)'
complete -c petstore -n "__petstore_at 'help pets|0'" -a 'add' -d 'add an animal'
complete -c petstore -n "__petstore_at 'help pets|0'" -a 'import' -d 'add many animals from a file'
complete -c petstore -n "__petstore_at 'help messages|0'" -a 'send' -d 'send a message'
complete -c petstore -n "__petstore_at 'help auth|0'" -a 'login' -d 'keep a key, once the service has accepted it'
complete -c petstore -n "__petstore_at 'help auth|0'" -a 'status' -d 'which environment has a key, and whether it is accepted'
complete -c petstore -n "__petstore_at 'help auth|0'" -a 'token' -d 'print the key in force'
complete -c petstore -n "__petstore_at 'help auth|0'" -a 'logout' -d 'forget a kept key'
complete -c petstore -n "__petstore_at 'help env|0'" -a 'list' -d 'the environments and their addresses'
complete -c petstore -n "__petstore_at 'help env|0'" -a 'use' -d 'choose the environment to work on'
complete -c petstore -n "__petstore_at 'help env|0'" -a 'set' -d 'set an environment\'s addresses, and make it where there is none'
complete -c petstore -n "__petstore_at 'help env|0'" -a 'unset' -d 'forget an environment: its addresses and its key; of local, its data'
complete -c petstore -n "__petstore_at 'help config|0'" -a 'list' -d 'all settings as they stand, each with its origin'
complete -c petstore -n "__petstore_at 'help config|0'" -a 'get' -d 'print a preference as it is in force'
complete -c petstore -n "__petstore_at 'help config|0'" -a 'set' -d 'keep a preference'
complete -c petstore -n "__petstore_at 'help config|0'" -a 'unset' -d 'forget a preference: its default holds again'
complete -c petstore -n "__petstore_at 'help config|0'" -a 'path' -d 'print where the config file is, or would be'
complete -c petstore -n "__petstore_at 'pets import|0'" -rF
complete -c petstore -n "__petstore_at 'env use|0'" -xa '(command petstore __environments 2>/dev/null)'
complete -c petstore -n "__petstore_at 'env set|0'" -xa '(command petstore __environments 2>/dev/null)'
complete -c petstore -n "__petstore_at 'env unset|0'" -xa '(command petstore __environments 2>/dev/null)'
complete -c petstore -n "__petstore_at 'config get|0'" -xa 'output timeout retries color'
complete -c petstore -n "__petstore_at 'config set|0'" -xa 'output timeout retries color'
complete -c petstore -n "__petstore_at 'config unset|0'" -xa 'output timeout retries color'
complete -c petstore -n "__petstore_at 'completion|0'" -xa 'bash zsh fish'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'config' 'config list' 'api' 'doctor'" -s e -l env -xa '(command petstore __environments 2>/dev/null)' -d 'the environment to work on'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth status' 'env' 'env list' 'config' 'config list' 'serve' 'doctor' 'commands'" -s o -l output -xa 'table json ndjson csv tsv' -d 'how data is written'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth status' 'env' 'env list' 'config' 'config list' 'serve' 'doctor' 'commands'" -l json -d 'the same as --output json'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth status' 'env' 'env list' 'config' 'config list' 'doctor'" -l fields -x -d 'only these fields of the data, in this order: id,name'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth status' 'env' 'env list' 'config' 'config list' 'api' 'serve' 'doctor' 'commands'" -l jq -x -d 'what jq makes of the JSON: strings as they are, else a line a result'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth status' 'env' 'env list' 'config' 'config list' 'serve' 'doctor' 'commands'" -l int64 -xa 'string' -d 'put large integers (over 2^53) into quotes in JSON'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'env' 'config' 'config list' 'api' 'doctor'" -l timeout -x -d 'how long each attempt may take'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'env' 'config' 'config list' 'api' 'doctor'" -l retries -x -d 'how many times to try again, where that is safe'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'env' 'config' 'config list' 'api' 'doctor'" -l dry-run -d 'show what would be sent, as a curl command, and send nothing'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'" -s q -l quiet -d 'nothing but errors on stderr'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'" -s v -l verbose -d 'show requests and replies on stderr, without the key'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'" -l color -xa 'auto always never' -d 'whether to colour'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'" -l no-color -d 'the same as --color never'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'" -l no-input -d 'ask nothing; what is missing is a usage error'
complete -c petstore -n "__petstore_within '' 'pets' 'messages' 'auth' 'env' 'config'" -s V -l version -d 'print the version'
complete -c petstore -n "__petstore_within '' 'pets' 'pets list' 'pets get' 'pets add' 'pets import' 'messages' 'messages send' 'auth' 'auth login' 'auth status' 'auth token' 'auth logout' 'env' 'env list' 'env use' 'env set' 'env unset' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'api' 'serve' 'doctor' 'completion' 'commands' 'help' 'help pets' 'help pets list' 'help pets get' 'help pets add' 'help pets import' 'help messages' 'help messages send' 'help auth' 'help auth login' 'help auth status' 'help auth token' 'help auth logout' 'help env' 'help env list' 'help env use' 'help env set' 'help env unset' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help api' 'help serve' 'help doctor' 'help completion' 'help commands'" -s h -l help -d 'print help'
complete -c petstore -n "__petstore_within 'pets list'" -l status -xa 'available pending sold' -d 'leave out animals of any other status'
complete -c petstore -n "__petstore_within 'pets list'" -l limit -x -d 'how many at most, up to 100; without it the service stops at 20'
complete -c petstore -n "__petstore_within 'pets list'" -l watch -d 'list again every so many seconds, and show what changed (5)'
complete -c petstore -n "__petstore_within 'pets add'" -l name -x -d 'the animal\'s name'
complete -c petstore -n "__petstore_within 'pets add'" -l category-id -x -d 'the category that it belongs to'
complete -c petstore -n "__petstore_within 'pets add'" -l status -xa 'available pending sold' -d 'its state'
complete -c petstore -n "__petstore_within 'pets add'" -l file -rF -d 'a JSON file that holds the animal (-: standard input)'
complete -c petstore -n "__petstore_within 'pets import'" -l format -xa 'ndjson json csv' -d 'what the file is, where its name and content mislead'
complete -c petstore -n "__petstore_within 'pets import'" -l concurrency -x -d 'how many requests at a time'
complete -c petstore -n "__petstore_within 'pets import'" -l journal -rF -d 'where it is written down what becomes of each row'
complete -c petstore -n "__petstore_within 'pets import'" -l restart -d 'begin anew, whatever an earlier run has added'
complete -c petstore -n "__petstore_within 'pets import'" -l check -d 'look at every row and send nothing'
complete -c petstore -n "__petstore_within 'pets import'" -l rejects -rF -d 'write the rejected and invalid rows there, as they were'
complete -c petstore -n "__petstore_within 'pets import'" -l stop-on-error -d 'end at the first row that is not added'
complete -c petstore -n "__petstore_within 'pets import'" -l resend-doubtful -d 'send again what may have been added, but nobody knows'
complete -c petstore -n "__petstore_within 'auth login'" -l base-url -x -d 'the environment\'s base address, kept in the same step'
complete -c petstore -n "__petstore_within 'auth login'" -l messages-url -x -d 'the environment\'s messages address, kept in the same step'
complete -c petstore -n "__petstore_within 'auth login'" -l no-verify -d 'keep the key without trying it'
complete -c petstore -n "__petstore_within 'auth status'" -l no-verify -d 'do not ask the service'
complete -c petstore -n "__petstore_within 'auth logout'" -l all -d 'forget the keys of all environments'
complete -c petstore -n "__petstore_within 'env set'" -l base-url -x -d 'the base address; its path ends in /v1 by the description of the service'
complete -c petstore -n "__petstore_within 'env set'" -l messages-url -x -d 'the address that messages are sent to'
complete -c petstore -n "__petstore_within 'env unset'" -l yes -d 'do not ask before data is deleted'
complete -c petstore -n "__petstore_within 'api'" -l messages -d 'to the address that messages are sent to'
complete -c petstore -n "__petstore_within 'api'" -s f -l raw-field -x -d 'a field that is text'
complete -c petstore -n "__petstore_within 'api'" -s F -l field -x -d 'a field that is JSON: a number, true, null, a list; a bare word is text'
complete -c petstore -n "__petstore_within 'api'" -l file -rF -d 'a file that is the body, byte for byte (-: standard input)'
complete -c petstore -n "__petstore_within 'api'" -s H -l header -x -d 'a header, as \'Name: value\''
complete -c petstore -n "__petstore_within 'api'" -s i -l include -d 'show the status and the headers of the reply too'
complete -c petstore -n "__petstore_within 'serve'" -l port -x -d 'the port, 0 for any that is free'
complete -c petstore -n "__petstore_within 'serve'" -l host -x -d 'the address to listen on'
complete -c petstore -n "__petstore_within 'serve'" -l data -rF -d 'where the animals are kept, an SQLite file; :memory: keeps none'
complete -c petstore -n "__petstore_within 'serve'" -l empty -d 'begin without the sample animals'
complete -c petstore -n "__petstore_within 'serve'" -l latency -x -d 'answer this much later'
complete -c petstore -n "__petstore_within 'serve'" -l fail -x -d 'make this share of the requests fail, 0 to 1'
complete -c petstore -n "__petstore_within 'serve'" -l fail-with -x -d 'how they fail: a status from 400 to 599, drop or stall'
complete -c petstore -n "__petstore_within 'serve'" -l seed -x -d 'the same requests fail for the same seed'
