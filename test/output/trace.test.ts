import { expect, test } from 'vitest'
import { traceTo } from '../../src/output/messages.ts'

async function traced(act: (observer: ReturnType<typeof traceTo>) => unknown): Promise<string> {
  let text = ''
  const redact = (shown: string) => shown.replaceAll('sk_live', '***')
  const trace = async (write: (redact: (shown: string) => string) => string) => {
    text = write(redact)
  }
  await act(traceTo({ trace }))
  return text
}
const url = 'https://pets.example/v1/pets'

test('a request is shown without its key, each line with a prefix', async () => {
  const headers = { authorization: 'Bearer sk_live', accept: 'application/json' }
  const request = { method: 'POST', url, headers, body: 'a sk_live\n\nb' }
  expect(await traced(({ onRequest }) => onRequest?.(request))).toBe(
    [`> POST ${url}`, '> authorization: Bearer ***', '> accept: application/json', '>', '> a ***', '>', '> b'].join(
      '\n',
    ),
  )
  const bare = { method: 'GET', url, headers: {} }
  expect(await traced(({ onRequest }) => onRequest?.(bare))).toBe(`> GET ${url}`)
})

test('a reply is shown with its time, every header value, and a body that is redacted before it is cut', async () => {
  const headers = { link: ['</a>', '</b>'], missing: undefined }
  const show = (body: string) =>
    traced(({ onReply }) =>
      onReply?.({ method: 'GET', url, headers: {} }, { status: 200, headers, body: Buffer.from(body) }, 12),
    )
  const head = ['< 200 (12 ms)', '< link: </a>', '< link: </b>']
  expect(await show('')).toBe(head.join('\n'))
  expect(await show('x'.repeat(20_000))).toBe([...head, '<', `< ${'x'.repeat(20_000)}`].join('\n'))
  expect(await show(`${'x'.repeat(19_996)}sk_livexx`)).toBe(
    [...head, '<', `< ${'x'.repeat(19_996)}***x`, '< … and 5 more characters'].join('\n'),
  )
})

test('only the part of a body that is shown is searched for secrets', async () => {
  const searched: number[] = []
  const redact = (text: string) => {
    searched.push(text.length)
    return text
  }
  const trace = async (write: (redact: (text: string) => string) => string) => void write(redact)
  const reply = { status: 200, headers: {}, body: Buffer.alloc(1_000_000, 'x') }
  await traceTo({ trace }).onReply?.({ method: 'GET', url, headers: {} }, reply, 12)
  expect(searched).toEqual([40_000])
})

test('a fault is shown with its message and time', async () => {
  const request = { method: 'GET', url, headers: {} }
  expect(await traced(({ onFault }) => onFault?.(request, new Error('lost'), 7))).toBe('* lost (7 ms)')
  expect(await traced(({ onFault }) => onFault?.(request, 'odd', 7))).toBe('* odd (7 ms)')
})
