import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { withFault } from '../support/strace.ts'
import { temporaryDirectory } from '../support/temp.ts'

const unsetLocal = ['env', 'unset', 'local', '--yes']

/** A home with local data, and a saved key for it. */
async function usedHome() {
  const home = temporaryDirectory()
  const config = join(home, '.config', 'petstore')
  const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--env', 'local']
  expect(await spawnCli(add, { home })).toMatchObject({ code: 0 })
  expect(await spawnCli(['auth', 'token', '--env', 'local'], { home })).toMatchObject({ code: 0 })
  const savedKey = (): string | undefined => {
    const state = JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'))
    return state.environments.local?.apiKey
  }
  expect(savedKey()).toMatch(/^local_/)
  return { home, config, database: join(config, 'local.db'), savedKey }
}

needs('strace')('env unset local deletes nothing', () => {
  test.each([
    ['SQLite cannot read the file', 'pread64', 'EIO', 'disk I/O error'],
    ['SQLite cannot open the file', 'openat', 'EMFILE', 'unable to open database file']
  ] as const)('if %s, which another program may be using', async (_, call, error, reason) => {
    const { home, database } = await usedHome()
    // The first of these calls reads the head of the file.
    const under = withFault({ call, error, path: database, when: '2+' })
    const { code, stderr } = await spawnCli(unsetLocal, { home, under })
    const { message } = JSON.parse(stderr).error
    expect({ code, message }).toEqual({ code: 9, message: expect.stringContaining(reason) })
    expect(message).toContain(`the database ${database} cannot be deleted: `)
    expect(message).toMatch(/; nothing was deleted$/)
    const get = await spawnCli(['pets', 'get', '11', '--env', 'local'], { home })
    expect(get).toMatchObject({ code: 0 })
  })

  test('if the new config file cannot be written', async () => {
    const { home, database, savedKey } = await usedHome()
    const before = savedKey()
    const under = withFault({ call: 'fsync', error: 'ENOSPC', when: '1' })
    const { code, stderr } = await spawnCli(unsetLocal, { home, under })
    const { message, hint, changed } = JSON.parse(stderr).error
    expect({ code, message, hint, changed }).toEqual({
      code: 9,
      message: expect.stringMatching(
        /^the config file .* is unchanged; .*: no space left on device$/
      ),
      hint: expect.stringMatching(/^df -h /),
      changed: undefined
    })
    expect(savedKey()).toBe(before)
    expect(existsSync(database)).toBe(true)
  })
})

needs('strace')('env unset local says that the data was deleted', () => {
  test('if then the config file cannot be replaced', async () => {
    const { home, config, database, savedKey } = await usedHome()
    const before = savedKey()
    const under = withFault({ call: 'rename', error: 'ENOSPC' })
    const { code, stderr } = await spawnCli(unsetLocal, { home, under })
    const { message, hint, changed } = JSON.parse(stderr).error
    const file = join(config, 'config.json')
    expect({ code, message, hint, changed }).toEqual({
      code: 9,
      message: `the data of 'local' was deleted, but the config file ${file} is unchanged; it cannot be written: no space left on device`,
      hint: `df -h ${config}`,
      changed: true
    })
    expect(savedKey()).toBe(before)
    expect(readdirSync(config)).toEqual(['config.json', 'config.json.lock.db'])
    expect(existsSync(database)).toBe(false)
    const again = await spawnCli(unsetLocal, { home })
    expect({ ...again, key: savedKey() }).toMatchObject({ code: 0, key: undefined })
  })
})
