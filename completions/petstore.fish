# Completion of petstore for fish. At each TAB it runs the program.

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

complete -c petstore -n __petstore_complete -f -a '$__petstore_words'
