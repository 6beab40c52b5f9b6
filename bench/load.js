import autocannon from 'autocannon'

export const key = 'a-key-for-the-bench'
export const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
export const connections = 50

/**
 * The number of requests per second that autocannon gets answered.
 *
 * @param {string} url
 * @param {{ method: 'GET' | 'POST', body?: string }} request
 * @param {{ seconds: number, width?: number }} load
 */
export async function requestsPerSecond(url, request, { seconds, width = connections }) {
  const result = await autocannon({
    url,
    ...request,
    headers,
    connections: width,
    duration: seconds
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} error replies, ${result.errors} errors`)
  return result['2xx'] / result.duration
}
