# Completion of petstore for fish. At each TAB it asks the program.

function __petstore_complete
    set -l current (commandline -ct)
    set -q current[1]; or set current ''
    set -l words (commandline -opc) $current
    set -l lines (command petstore __complete -- $words[2..-1] 2>/dev/null)
    # fish wants the whole word; the program completes only the value.
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    if test "$lines[1]" = :files
        set lines (__fish_complete_path (string replace -r -- '^--[^=]*=' '' $current))
    end
    for line in $lines
        echo "$prefix$line"
    end
end

complete -c petstore -f -a '(__petstore_complete)'
