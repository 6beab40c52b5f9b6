import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { type Answer, recordingServer } from '../support/recording-server.ts'
import { joinScreens, normalizeScreen } from '../support/screen-text.ts'
import { binPath, nodePath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const pet = (id: number, name = `pet ${id}`, status = 'available') => ({
  id,
  name,
  categoryId: id % 3,
  status
})
const pets = Array.from({ length: 25 }, (_, index) => pet(index + 1))
const key = 'sk_test_12345678'

async function openPetstore(argv: readonly string[], baseUrl: string | undefined, rows = 12) {
  const home = temporaryDirectory()
  const env = baseUrl === undefined ? {} : { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: baseUrl }
  const terminal = await openTerminal([nodePath, binPath, ...argv], { rows, home, env })
  return { ...terminal, stable: (screen: string) => normalizeScreen(screen, home) }
}

needs('tmux')('changing screens', () => {
  test('show --watch over several changes', { timeout: 120_000 }, async () => {
    let now: Answer = { json: pets }
    const server = await recordingServer(() => now)
    const argv = ['pets', 'list', '--watch', '1', '--limit', '30', '--retries', '0']
    const { waitFor, press, exitCode, screen, stable } = await openPetstore(
      argv,
      `${server.url}/v1`
    )
    const screens: Record<string, string> = {}
    const show = async (what: string, answer: Answer, text: string | RegExp) => {
      now = answer
      screens[what] = stable(await waitFor(text))
    }
    await show('the first list', now, '25 pets')
    await show('a pet changed', { json: pets.with(19, pet(20, 'pet 20', 'sold')) }, /^~.*pet 20/m)
    await show('a pet was added', { json: [...pets, pet(26, '日本語の猫')] }, /^\+ +26/m)
    await show('no further change', now, /^26 pets, \d+ not shown \(/m)
    await show(
      'the service fails',
      { status: 500, json: { code: 'x', message: 'no', status: 500 } },
      'error:'
    )
    await show(
      'the service works again, with two fewer pets',
      { json: pets.slice(1) },
      '24 pets, 2 changes'
    )
    await show(
      'the list reaches the limit',
      { json: [...pets, ...pets.map(({ id }) => pet(id + 30))].slice(0, 30) },
      'showing'
    )
    await press('C-c')
    expect(await exitCode()).toBe(130)
    expect(await screen()).toBe('')
    await expect(joinScreens(screens)).toMatchFileSnapshot('snapshots/watch.txt')
  })

  test('show the wait for a slow service', async () => {
    let reply = () => {}
    const isSeen = new Promise<void>(resolve => {
      reply = resolve
    })
    const server = await recordingServer(async () => {
      await isSeen
      return { json: pets.slice(0, 2) }
    })
    const { waitFor, exitCode, screen, stable } = await openPetstore(['pets', 'list'], server.url)
    const waiting = stable(await waitFor(/waiting for .*[2-9] s/))
    reply()
    expect(await exitCode()).toBe(0)
    const screens = { 'after two seconds': waiting, 'after the reply': stable(await screen()) }
    await expect(joinScreens(screens)).toMatchFileSnapshot('snapshots/wait.txt')
  })

  test('show the prompts of pets add', async () => {
    const argv = ['pets', 'add', '--env', 'local']
    const { waitFor, type, press, exitCode, screen, stable } = await openPetstore(
      argv,
      undefined,
      30
    )
    const screens: Record<string, string> = {}
    screens['the first question'] = stable(await waitFor('Name'))
    await press('Enter')
    screens['an invalid answer'] = stable(await waitFor(/blank\.\s+Name:/))
    await type('Rex')
    await press('Enter')
    await waitFor('Category')
    await type('two')
    await press('Enter')
    screens['another invalid answer'] = stable(await waitFor(/whole number\.\s+Category id:/))
    await type('2')
    await press('Enter')
    expect(await exitCode()).toBe(0)
    screens['the end'] = stable(await screen())
    await expect(joinScreens(screens)).toMatchFileSnapshot('snapshots/prompts.txt')
  })

  test('show the prompts of auth login, canceled with Ctrl-D', async () => {
    const argv = ['auth', 'login', '--env', 'staging']
    const { waitFor, type, press, exitCode, screen, stable } = await openPetstore(
      argv,
      undefined,
      30
    )
    const screens: Record<string, string> = {}
    screens['the first question'] = stable(await waitFor('URL'))
    await type('https://127.0.0.1:9/v1')
    await press('Enter')
    await waitFor('API key')
    await type('secret')
    screens['the key is hidden'] = stable(await waitFor('hidden'))
    await press('C-u', 'C-d')
    expect(await exitCode()).toBe(130)
    screens['after Ctrl-D'] = stable(await screen())
    await expect(joinScreens(screens)).toMatchFileSnapshot('snapshots/login.txt')
  })
})
