import { expect, test } from 'vitest'
import { type Answer, type Handler, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** The message and the hint of a command, with a saved URL and key, or those in variables. */
async function failureOf(
  line: string,
  answer: Answer | Handler,
  variablesFor?: (url: string) => object
) {
  const { url } = await recordingServer(answer)
  const home = temporaryDirectory()
  const urls = ['--base-url', `${url}/v1`, '--messages-url', url]
  await runCli(['auth', 'login', '--no-verify', ...urls], { home, stdin: 'sk_saved' })
  const env = { ...variablesFor?.(url) }
  const { stderr } = await runCli([...line.split(' '), '--retries', '0'], { home, env })
  const { message, hint } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error
  return [message.replaceAll(url, 'URL'), hint]
}

const login = 'petstore auth login --env production'
const environments = 'petstore env list'
const seePets = 'petstore pets list --env production'

test.each<[line: string, answer: Answer, message: string, hint: string | undefined]>([
  [
    'pets list',
    { status: 302, headers: { location: '/x?key=1' } },
    'URL/v1/pets redirects to /x; redirects are not followed (302)',
    environments
  ],
  [
    'pets list',
    { status: 302 },
    'URL/v1/pets redirects to another place; redirects are not followed (302)',
    environments
  ],
  [
    'pets list',
    { status: 400 },
    'the service refused to list the pets at URL/v1/pets (400)',
    'petstore pets list --help'
  ],
  [
    'pets list',
    { status: 401 },
    "the API key saved for 'production' was refused by URL/v1/pets (401)",
    login
  ],
  ['pets list', { status: 404 }, 'there is no way to list the pets at URL/v1 (404)', environments],
  ['pets list', { status: 429 }, 'URL/v1/pets accepts no more requests right now (429)', undefined],
  ['pets list', { status: 500 }, 'the service failed at URL/v1/pets (500)', undefined],
  ['pets list', { status: 501 }, 'URL/v1/pets does not support this request (501)', environments],
  [
    'pets list',
    { status: 503, headers: { 'retry-after': '90' } },
    'URL/v1/pets is overloaded or down (503); the service asked for a wait of 90 s',
    undefined
  ],
  [
    'pets list',
    { status: 666 },
    'URL/v1/pets replied with an unexpected status (666)',
    environments
  ],
  ['pets list', { body: '' }, 'unexpected reply from URL/v1/pets: it is empty (200)', environments],
  [
    'pets list',
    { body: '<html>' },
    'unexpected reply from URL/v1/pets: it is not JSON (200)',
    environments
  ],
  [
    'pets list',
    { json: {} },
    'unexpected reply from URL/v1/pets: it is not a list (200)',
    environments
  ],
  ['pets get 7', { status: 500 }, 'the service failed at URL/v1/pets/7 (500)', undefined],
  ['pets get 7', { status: 404 }, 'there is no pet 7 at URL/v1', seePets],
  [
    'pets add --name Rex --category-id 2',
    { status: 201, body: '<html>' },
    "unexpected reply from URL/v1/pets: it is not JSON (201); the request may have been carried out; if the service honors Idempotency-Key, 'petstore env set production --idempotent' makes repeating safe",
    'petstore pets list --name=Rex --category-id 2 --env production'
  ],
  ['api GET /x', { status: 404 }, 'there is no /x at URL/v1', undefined],
  [
    'messages send hi',
    { status: 404 },
    'there is no way to send the message at URL (404)',
    environments
  ]
])('%s after %j: %s', async (line, answer, message, hint) => {
  expect(await failureOf(line, answer)).toEqual([message, hint])
})

test.each<[status: number, variables: (url: string) => object, message: string, hint: string]>([
  [
    404,
    url => ({ PETSTORE_BASE_URL: url }),
    'there is no way to list the pets at URL (404); the URL is from PETSTORE_BASE_URL; the path of a base URL usually ends in /v1',
    environments
  ],
  [
    501,
    url => ({ PETSTORE_BASE_URL: url }),
    'URL/pets does not support this request (501); the URL is from PETSTORE_BASE_URL; the path of a base URL usually ends in /v1',
    environments
  ],
  [
    0,
    () => ({ PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1', PETSTORE_API_KEY: 'sk_given' }),
    'http://127.0.0.1:9 refused the connection; the URL is from PETSTORE_BASE_URL',
    environments
  ],
  [
    401,
    () => ({ PETSTORE_API_KEY: 'sk_given' }),
    'the API key in PETSTORE_API_KEY was refused by URL/v1/pets (401)',
    'petstore help environment'
  ]
])('what is from a variable is named: %i', async (status, variables, message, hint) => {
  expect(await failureOf('pets list', { status }, variables)).toEqual([message, hint])
})
