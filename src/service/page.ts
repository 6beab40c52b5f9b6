import { createHash } from 'node:crypto'
import type { Reply } from '../model/exchange.ts'
import page from './page.html'

/** The page for people. It holds no data, because pages of any origin may read it. */
export function pageReply(): Reply {
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(page) ?? []
  const digest = createHash('sha256').update(script).digest('base64')
  // Nothing comes from elsewhere, and no other script runs.
  const policy = [
    "default-src 'none'",
    "connect-src 'self'",
    'img-src data:',
    `script-src 'sha256-${digest}'`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ]
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; ')
  }
  return { status: 200, headers, body: Buffer.from(page) }
}
