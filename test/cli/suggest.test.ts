import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'

describe('what is misspelt', () => {
  test.each([
    [['pets', 'lst'], 'did you mean list?', 'petstore pets list --help'],
    [['pest', 'list'], 'did you mean pets?', 'petstore pets --help'],
    [['list'], 'did you mean pets list?', 'petstore pets list --help'],
    [['pets', 'login'], 'did you mean auth login?', 'petstore auth login --help'],
    [['pets', 'lst', '--help'], 'did you mean list?', 'petstore pets list --help'],
    [['--help', 'pets', 'lst'], 'did you mean list?', 'petstore pets list --help'],
    [['--env', 'local', 'pets', 'lst', '--limit', '5'], 'did you mean list?', 'petstore pets list --help'],
    [['frobnicate'], "unknown command 'frobnicate'", 'petstore --help'],
    [['pets', 'list', '--stauts=sold'], 'did you mean --status?', 'petstore pets list --help'],
    [['pets', 'list', '--jsn'], 'did you mean --json?', 'petstore pets list --help'],
    [['--enw', 'local', 'pets', 'list'], 'did you mean --env?', 'petstore --help'],
    [['pets', '--quite'], 'did you mean --quiet?', 'petstore pets --help'],
    [['pets', 'list', '-limit', '5'], 'did you mean --limit?', 'petstore pets list --help'],
    [['pets', 'list', '--output', 'jsno'], 'Allowed choices are table, json', 'petstore pets list --help'],
    [['help', 'pets', 'lst'], "no command or topic 'pets lst'", 'petstore help pets list'],
    [['help', 'exitcodes'], "no command or topic 'exitcodes'", 'petstore help exit-codes'],
    [['help', 'completion', 'zsh'], "no command or topic 'completion zsh'", 'petstore help completion'],
    [['--', 'pets', 'lst'], 'did you mean list?', 'petstore pets list --help'],
    [['help', 'frobnicate'], "no command or topic 'frobnicate'", 'petstore help'],
  ])('%j', async (argv, words, hint) => {
    const { code, stdout, stderr } = await runCli(argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const { error } = JSON.parse(stderr)
    expect(error.message).toContain(words)
    expect(error.hint).toBe(hint)
    const [, ...hinted] = hint.split(' ')
    expect((await runCli(hinted)).code).toBe(0)
  })
})
