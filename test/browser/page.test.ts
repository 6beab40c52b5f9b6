/// <reference lib="dom" />

import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { routes } from '../../src/service/routes.ts'
import { key, rex, startService } from '../service/running-service.ts'

/** Chromium connects to nothing else. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]
let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: quiet })
})
afterAll(() => browser.close())

async function open(url: string) {
  const page = await browser.newPage({ viewport: { width: 400, height: 900 } })
  onTestFinished(() => page.close())
  const errors: string[] = []
  const requested: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => errors.push(message.text()))
  page.on('dialog', dialog => errors.push(dialog.message()))
  page.on('request', request => requested.push(request.url()))
  await page.clock.install()
  await page.goto(url)
  return { page, errors, requested }
}

const petsOn = (page: Page) => page.locator('#pets tr')
const operationsOn = (page: Page) => page.locator('#operations article')

const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '</td></tr></table><h1>Hi</h1>',
  '\u202egnp.exe',
  'x'.repeat(10_000),
  'Zoë 漢字 🐇'
]
const petsNamed = (names: readonly string[]) =>
  names.map(name => ({ name, categoryId: 9007199254740993n }))

describe('without the key', () => {
  test('it lists the operations with curl commands, and no data', async () => {
    const { origin } = await startService({ firstPets: petsNamed(['Unmistakable']) })
    const { page, errors } = await open(origin)
    await operationsOn(page).last().waitFor()
    expect(await operationsOn(page).count()).toBe(routes.length)
    expect(await operationsOn(page).nth(1).textContent()).toContain(
      `curl -X POST -H "Authorization: Bearer $PETSTORE_API_KEY" -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1,"status":"available"}' ${origin}/v1/pets`
    )
    expect(await page.content()).not.toContain('Unmistakable')
    expect(errors).toEqual([])
  })

  test('a wrong key shows an error, and the right one the data', async () => {
    const { origin } = await startService({ firstPets: petsNamed(['Rex']) })
    const { page } = await open(origin)
    for (const [typed, problem, count] of [
      ['other', 'the API key is missing or not valid', 0],
      [key, '', 1]
    ] as const) {
      await page.getByLabel('API key').fill(typed)
      await page.getByRole('button').click()
      await page.locator('#problem', { hasText: problem }).waitFor({ state: 'attached' })
      if (count > 0) await petsOn(page).first().waitFor()
      expect(await petsOn(page).count()).toBe(count)
    }
  })
})

test('hostile names are text, and fit', async () => {
  const { origin, post } = await startService({ firstPets: petsNamed(hostile) })
  await post('/messages', { message: `<b>${'y'.repeat(3000)}</b>` })
  const { page, errors } = await open(`${origin}/#key=${key}`)
  await page.locator('#requests tr').first().waitFor()
  await operationsOn(page).last().waitFor()
  const shown = hostile.map(name => name.replace('\u202e', '\\u202e'))
  expect(await petsOn(page).allTextContents()).toEqual(
    shown.map((name, index) => `${index + 1}${name}9007199254740993`)
  )
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
  expect(errors).toEqual([])
})

test('it shows new pets and requests, but not its own', async () => {
  const { origin, post } = await startService()
  const { page } = await open(`${origin}/#key=${key}`)
  await page.locator('#requests tr').first().waitFor()
  await post('/v1/pets', rex)
  await page.clock.runFor(3000)
  await petsOn(page).first().waitFor()
  expect(await page.locator('#requests tr').first().textContent()).toContain('POST /v1/pets')
  expect(await page.locator('#requests').textContent()).not.toContain('_local')
})

test('it loads nothing from elsewhere', async () => {
  const { origin } = await startService()
  const { page, requested } = await open(`${origin}/#key=${key}`)
  await operationsOn(page).last().waitFor()
  for (const url of requested.filter(url => !url.startsWith('data:')))
    expect(url).toMatch(new RegExp(`^${origin}/`))
  const { origin: elsewhere } = await startService()
  const load = (url: string) => fetch(url).then(String, String)
  expect(await page.evaluate(load, `${elsewhere}/health`)).toContain('Failed to fetch')
})
