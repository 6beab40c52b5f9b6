import { describe, expect, test } from 'vitest'
import { houseRules } from './support/house-rules.ts'
import { parseSource, readSources } from './support/imports.ts'

type RuleName = keyof typeof houseRules
const names = Object.keys(houseRules) as RuleName[]
const sources = readSources()

/** What each rule has to find: files that break it, in a house of their own. */
const violations: Record<RuleName, Record<string, string>[]> = {
  'a file knows what lies below it': [
    { 'src/api/client.ts': "import { x } from '../commands/pets/list.ts'" },
    { 'src/api/client.ts': "import type { Context } from '../context.ts'" },
    { 'src/api/client.ts': "const late = () => import('../cli/program.ts')" },
    { 'src/api/client.ts': "let type: import('../cli/program.ts').Program" },
    { 'src/api/client.ts': "export { x } from '../main.ts'" },
    { 'src/commands/pets/list.ts': "import { x } from '../../cli/program.ts'" },
    { 'src/config/settings.ts': "import { x } from '../output/output.ts'" },
    { 'src/service/handler.ts': "import { x } from '../api/client.ts'" },
    { 'src/output/json.ts': "import { x } from '../api/transport.ts'" },
    { 'src/failure.ts': "import { x } from './host.ts'" },
    { 'src/elsewhere/a.ts': "import { x } from '../failure.ts'" },
  ],
  'each package is known in its home alone': [
    { 'src/commands/api.ts': "import { request } from 'undici'" },
    { 'src/api/client.ts': "const late = () => import('undici/lib/agent.js')" },
    { 'src/config/settings.ts': "import type Conf from 'conf'" },
    { 'src/service/handler.ts': "import Database from 'libsql'" },
    { 'src/commands/pets/list.ts': "import chalk from 'chalk'" },
    { 'src/api/client.ts': "import { Command } from '@commander-js/extra-typings'" },
    { 'src/main.ts': "import { CommanderError } from 'commander'" },
    { 'src/output/left.ts': "import pad from 'left-pad'" },
    { 'bin/petstore.js': "require('conf')" },
  ],
  'every import can be read from the source': [{ 'src/context.ts': 'const load = (name: string) => import(name)' }],
  'the start loads nothing heavy': [
    { 'src/main.ts': "import './cli/program.ts'", 'src/cli/program.ts': "import * as z from 'zod/mini'" },
    { 'src/main.ts': "export { x } from './a.ts'", 'src/a.ts': "import { Agent } from 'undici'" },
  ],
  'nothing imports itself by a detour': [
    { 'src/api/a.ts': "import './b.ts'", 'src/api/b.ts': "import './c.ts'", 'src/api/c.ts': "import './a.ts'" },
  ],
  'the process is known to the host and the bin': [
    { 'src/main.ts': 'process.exitCode = 1' },
    { 'src/api/client.ts': 'const { env } = process' },
    { 'src/api/client.ts': 'const host = { process }' },
    { 'src/api/client.ts': 'globalThis.process.cwd()' },
    { 'src/api/client.ts': "import { env } from 'node:process'" },
    { 'src/host.ts': 'export const leave = () => process.exit(1)' },
  ],
  'no state at module level': [
    { 'src/api/client.ts': 'let cached: string | undefined' },
    { 'src/api/client.ts': 'export let cached = 1' },
    { 'src/api/client.ts': 'const cache = new Map<string, string>()' },
    { 'src/api/client.ts': 'const seen: string[] = []' },
  ],
  'no drawers for everything': [
    { 'src/utils/text.ts': '' },
    { 'src/api/helpers/text.ts': '' },
    { 'src/lib/a.ts': '' },
    { 'src/common/a.ts': '' },
    { 'src/api/utils.ts': '' },
  ],
  'no file is longer than one concept': [{ 'src/api/client.ts': '// one more line\n'.repeat(301) }],
}

/** What looks like a violation and is none. */
const allowed: Record<string, string> = {
  'src/context.ts': "const late = () => import('./api/transport.ts')",
  'src/api/transport.ts': "import { Agent } from 'undici'",
  'src/api/client.ts':
    "import type { Transport } from './exchange.ts'\nexport const read = (step: { process: 1 }) => step.process",
  'src/api/exchange.ts':
    "import type { Client } from './client.ts'\nconst names = new Set(['a'])\nfor (let i = 0; i < 1; i++);",
  'src/main.ts': "import './context.ts'\nimport type { Agent } from './api/transport.ts'",
  'src/service/handler.ts': "import { x } from '../api/schema.ts'",
  'bin/petstore.js': "const { main } = require('../dist/main.cjs')\nprocess.exitCode = 1",
}

describe.each(names)('%s', (name) => {
  test('holds in every file', () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(houseRules[name](sources)).toEqual([])
  })

  test.each(violations[name].map((files) => [brief(files), files] as const))('finds %s', (_, files) => {
    const broken = Object.entries(files).map(([path, text]) => parseSource(path, text))
    expect(houseRules[name](broken)).not.toEqual([])
  })

  test('finds nothing where nothing is wrong', () => {
    expect(houseRules[name](Object.entries(allowed).map(([path, text]) => parseSource(path, text)))).toEqual([])
  })
})

/** A name for a test that fits on a line. */
function brief(files: Record<string, string>): string {
  return Object.entries(files)
    .map(([path, text]) => `${path}: ${text.split('\n')[0]}`)
    .join(', ')
}
