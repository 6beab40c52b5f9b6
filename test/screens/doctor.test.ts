import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { joinScreens, normalizeScreen } from '../support/screen-text.ts'
import { binPath, nodePath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

needs('tmux')('doctor', () => {
  test('continues long lines indented, and shows what to do on lines of their own', async () => {
    const screens: Record<string, string> = {}
    for (const columns of [60, 80]) {
      const home = temporaryDirectory()
      const env = {
        PETSTORE_CONFIG_DIR: `${home}/p`,
        PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1',
        NODE_EXTRA_CA_CERTS: '/nowhere'
      }
      const argv = [nodePath, binPath, 'doctor', '--env', 'staging']
      const terminal = await openTerminal(argv, { columns, rows: 30, home, env })
      expect(await terminal.exitCode()).toBe(6)
      const shown = (await terminal.rows()).map(row => row.trimEnd()).join('\n')
      screens[`at ${columns} columns`] = normalizeScreen(shown, home)
    }
    await expect(joinScreens(screens)).toMatchFileSnapshot('snapshots/doctor.txt')
  })
})
