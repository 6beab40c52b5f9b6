import type { Place, Wanted } from './model.ts'

/** Options of one text are declared once, for all the places that take them. */
export function fishScript(places: readonly Place[]): string {
  const lines = [...places.flatMap(wordLines), ...places.flatMap(argumentLines), ...optionLines(places)]
  const takingValues = places.flatMap(({ path, options }) =>
    options.filter(({ wanted }) => wanted !== undefined).flatMap(({ flags }) => flags.map((flag) => `${path} ${flag}`)),
  )
  return `# Completion of petstore for fish, made from its commands: petstore completion fish

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
    string match -qr -- '\\|$' (__petstore_place); and contains -- (string replace -r -- '\\|.*' '' (__petstore_place)) $argv
end

set -g __petstore_places ${places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' ')}
set -g __petstore_options_with_values ${takingValues.map(quoted).join(' ')}

complete -c petstore -f
${lines.join('\n')}
`
}

const wordLines = ({ path, words }: Place) =>
  words.map(({ name, description }) =>
    line({ at: [`${path}|0`], rest: `-a ${quoted(name)} -d ${quoted(description)}`, by: '__petstore_at' }),
  )

const argumentLines = (place: Place) =>
  place.arguments
    .map((wanted, position) => ({ wanted, at: [`${place.path}|${position}`] }))
    .filter(({ wanted }) => wanted.kind !== 'text')
    .map(({ wanted, at }) => line({ at, rest: offer(wanted), by: '__petstore_at' }))

function optionLines(places: readonly Place[]): string[] {
  const pathsByText = new Map<string, string[]>()
  for (const { path, options } of places) {
    for (const { flags, description, wanted } of options) {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      const value = wanted === undefined ? '' : offer(wanted)
      const text = [...names, value, `-d ${quoted(description)}`].filter((part) => part !== '').join(' ')
      pathsByText.set(text, [...(pathsByText.get(text) ?? []), path])
    }
  }
  return [...pathsByText].map(([rest, at]) => line({ at, rest, by: '__petstore_within' }))
}

interface Line {
  readonly by: string
  readonly at: readonly string[]
  readonly rest: string
}

const line = ({ by, at, rest }: Line) => `complete -c petstore -n "${by} ${at.map(quoted).join(' ')}" ${rest}`

/** `-x` keeps files away, `-rF` asks for them. */
function offer(wanted: Wanted): string {
  switch (wanted.kind) {
    case 'files':
      return '-rF'
    case 'environments':
      return "-xa '(command petstore __environments 2>/dev/null)'"
    case 'choices':
      return `-xa ${quoted(wanted.choices.join(' '))}`
    case 'text':
      return '-x'
  }
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
