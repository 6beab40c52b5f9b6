import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Variables that a developer or CI may have set and that would change test results. */
const foreign =
  /^(PETSTORE_(?!TEST_|BIN$).*|CI|AI_AGENT|AGENT|CLAUDE.*|GEMINI_CLI|COPILOT_AGENT|CURSOR_AGENT|CODEX_.*|CLINE_ACTIVE|OPENCODE|NO_COLOR|FORCE_COLOR|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|XDG_.*|SNAP)$/i

for (const name of Object.keys(process.env)) {
  if (foreign.test(name)) delete process.env[name]
}

const home = mkdtempSync(join(tmpdir(), 'petstore-home-'))
process.env.HOME = home
afterAll(() => rmSync(home, { recursive: true, force: true }))
