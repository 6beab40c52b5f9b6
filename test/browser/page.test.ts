/// <reference lib="dom" />

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

const sizes = [400, 1200].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme }))
)

async function open(url: string, { width, colorScheme } = sizes[0] as (typeof sizes)[number]) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
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

describe.each(sizes)('at $width pixels, $colorScheme', size => {
  test.each([0, 10, 100])('it fits with %i pets, and hostile names are text', async count => {
    const names = Array.from({ length: count }, (_, index) => hostile[index] ?? `Pet ${index}`)
    const { origin, post } = await startService({ firstPets: petsNamed(names) })
    await post('/messages', { message: `<b>${'y'.repeat(3000)}</b>` })
    const { page, errors } = await open(`${origin}/#key=${key}`, size)
    await page.locator('#requests tr').first().waitFor()
    await operationsOn(page).last().waitFor()
    expect(await petsOn(page).count()).toBe(count)
    const shown = await petsOn(page).allTextContents()
    for (const [index, name] of names.entries())
      expect(shown[index]).toBe(`${index + 1}${name.replace('\u202e', '\\u202e')}9007199254740993`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
    expect(errors).toEqual([])
  })

  test('its colors can be read', async () => {
    const { origin } = await startService()
    const { page } = await open(origin, size)
    const brightnessOf = (property: string) =>
      page.evaluate(name => {
        const value = getComputedStyle(document.body).getPropertyValue(name)
        const [red = 0, green = 0, blue = 0, alpha = 1] = value.match(/[\d.]+/g)?.map(Number) ?? []
        // Without a color of its own, the background is that of the canvas, which is white.
        return alpha === 0 ? 255 : (red + green + blue) / 3
      }, property)
    const difference = (await brightnessOf('background-color')) - (await brightnessOf('color'))
    expect(size.colorScheme === 'light' ? difference : -difference).toBeGreaterThan(180)
  })
})

test('it is refreshed while it is visible, without a trace in the requests', async () => {
  const { origin, post, log } = await startService()
  const { page } = await open(`${origin}/#key=${key}`)
  await page.locator('#requests tr').first().waitFor()
  await post('/v1/pets', rex)
  await page.clock.runFor(3000)
  await petsOn(page).first().waitFor()
  expect(await page.locator('#requests tr').first().textContent()).toContain('POST /v1/pets')
  expect(await page.locator('#requests').textContent()).not.toContain('_local')
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true }))
  const before = log.length
  await page.clock.runFor(60_000)
  await page.evaluate(() => fetch('/health'))
  expect(log.slice(before)).toEqual([expect.stringContaining('GET /health')])
})

test('a service that has ended is named, and the data stays', async () => {
  const { origin, close } = await startService({ firstPets: petsNamed(['Rex']) })
  const { page } = await open(`${origin}/#key=${key}`)
  await petsOn(page).first().waitFor()
  await close()
  await page.clock.runFor(3000)
  await page.getByText('The service does not answer.').waitFor()
  expect(await petsOn(page).count()).toBe(1)
})

describe('other origins', () => {
  /** A page of another origin. */
  async function elsewhere() {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('elsewhere')
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  test('nothing on the page loads from them', async () => {
    const { origin } = await startService()
    const { page, requested } = await open(`${origin}/#key=${key}`)
    await operationsOn(page).last().waitFor()
    for (const url of requested.filter(url => !url.startsWith('data:')))
      expect(url).toMatch(new RegExp(`^${origin}/`))
    const other = await elsewhere()
    const refused = await page.evaluate(async url => {
      const violations: string[] = []
      const allSeen = new Promise<void>(resolve =>
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (violations.push(effectiveDirective) === 5) resolve()
        })
      )
      for (const name of ['img', 'script', 'iframe'])
        document.body.append(Object.assign(document.createElement(name), { src: url }))
      const script = Object.assign(document.createElement('script'), {
        text: 'window.isRun = true'
      })
      document.body.append(script)
      await fetch(url).catch(() => {})
      await allSeen
      return [...violations.sort(), 'isRun' in window]
    }, other)
    expect(refused).toEqual([
      'connect-src',
      'frame-src',
      'img-src',
      'script-src-elem',
      'script-src-elem',
      false
    ])
  })

  test('a page from there reads no data and changes nothing without the key', async () => {
    const { origin, send } = await startService({ firstPets: petsNamed(['Unmistakable']) })
    const { page } = await open(await elsewhere())
    const read = await page.evaluate(async service => {
      const targets = [
        '/',
        '/openapi.json',
        '/health',
        '/v1/pets',
        '/_local/pets',
        '/_local/requests'
      ]
      const texts = targets.map(async path => (await fetch(service + path)).text())
      const changes = ['/v1/pets', '/messages', '/_local/reset'].map(async path => {
        const body = JSON.stringify({ name: 'Intruder', categoryId: 1, message: 'x' })
        return (await fetch(service + path, { method: 'POST', mode: 'cors', body })).status
      })
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action: `${service}/_local/reset`, target: 'frame' })
      const frame = Object.assign(document.createElement('iframe'), { name: 'frame', src: service })
      document.body.append(frame, form)
      form.submit()
      return [(await Promise.all(texts)).join(), ...(await Promise.all(changes))]
    }, origin)
    expect(read.slice(1)).toEqual([401, 401, 401])
    expect(read[0]).not.toMatch(/Unmistakable|the-key/)
    expect((await send('GET /_local/pets')).body).toMatchObject([{ name: 'Unmistakable' }])
  })

  test('a page from there that has the key can use the service', async () => {
    const { origin, send } = await startService()
    const { page } = await open(await elsewhere())
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'k1'
    }
    const replies = await page.evaluate(
      async ({ url, ...init }) => {
        const added = await fetch(url, { ...init, method: 'POST' })
        const failing = { headers: { ...init.headers, prefer: 'code=503' } }
        const refused = await fetch(url, failing)
        return [added.status, refused.status, refused.headers.get('retry-after')]
      },
      { url: `${origin}/v1/pets`, headers, body: JSON.stringify(rex) }
    )
    expect(replies).toEqual([201, 503, '1'])
    expect((await send('GET /v1/pets')).body).toHaveLength(1)
  })
})
