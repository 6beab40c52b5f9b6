import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { documentedVariables } from '../src/settings/table.ts'
import { runCli } from './support/run-cli.ts'

interface Description {
  readonly options: readonly { flags: string }[]
  readonly commands: readonly { name: string; options: readonly { flags: string }[] }[]
  readonly exitCodes: readonly { code: number; name: string; meaning: string }[]
}

const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
const description: Description = JSON.parse((await runCli(['commands'], { home: '/dev/null' })).stdout)

const options = [...description.options, ...description.commands.flatMap((command) => command.options)].map(
  ({ flags }) => flags.match(/--?[a-zA-Z][\w-]*/g) ?? [],
)
/** What the README names of npm and of the programs that it compares this one with. */
const optionsOfOthers = ['--api-key']

describe('the README', () => {
  const code = [...readme.matchAll(/`([^`\n]+)`|^```sh\n(.*?)^```$/gms)].map(
    ([, inline, block]) => inline ?? block ?? '',
  )

  test('names every exit code as the program does', () => {
    const rows = [...readme.matchAll(/^\| (\d+) +\| ([\w-]+) +\| (.+?) +\|$/gm)].map(([, number, name, meaning]) => ({
      code: Number(number),
      name,
      meaning,
    }))
    expect(rows).toEqual(description.exitCodes)
  })

  test('names every variable, and none that there is not', () => {
    const named = [
      ...new Set(readme.match(/\b(PETSTORE_[A-Z_]+|[A-Z]+_PROXY|NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR)\b/g)),
    ]
    expect(named.concat('CI').sort()).toEqual(
      documentedVariables()
        .map(({ name }) => name)
        .sort(),
    )
  })

  test('names every command, and no option that there is not', () => {
    const missing = description.commands.filter(({ name }) => !code.some((text) => text.includes(`petstore ${name}`)))
    expect(missing.map(({ name }) => name)).toEqual([])
    const known = new Set([...options.flat(), ...optionsOfOthers])
    const named = code.flatMap((text) => (/curl/.test(text) ? [] : (text.match(/--[a-z][\w-]*/g) ?? [])))
    expect(named.filter((flag) => !known.has(flag))).toEqual([])
  })
})
