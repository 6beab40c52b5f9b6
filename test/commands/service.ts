import { recordingServer } from '../support/recording-server.ts'

export const key = 'sk_test_12345678'

/** A service that gives these answers, and the variables for it. */
export async function service(answers: Parameters<typeof recordingServer>[0] = { json: [] }) {
  const server = await recordingServer(answers)
  const urls = { PETSTORE_BASE_URL: `${server.url}/v1`, PETSTORE_MESSAGES_URL: server.url }
  return { server, urls, env: { ...urls, PETSTORE_API_KEY: key } }
}

/** The error that ends what a run printed on stderr as JSON. */
export const errorOf = (stderr: string) =>
  JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error
