import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/petstore.js', import.meta.url))
const hooks = fileURLToPath(new URL('hooks.cjs', import.meta.url))

/** @typedef {{ env?: Record<string, string>, input?: string }} Options */

/** What Windows needs in each process, and what makes wine work. */
const inherited = ['SystemRoot', 'TEMP', 'TMP', 'PATH', 'NODE_OPTIONS']

/** Someone who uses the program in a directory with a space in its name. */
export class User {
  directory = mkdtempSync(join(tmpdir(), 'pet store '))
  /** @type {Running[]} */
  #started = []

  /** @param {string} name */
  path(name) {
    return join(this.directory, name)
  }

  /**
   * @param {string[]} args
   * @param {Options} [options]
   */
  start(args, { env = {}, input } = {}) {
    const running = new Running(args, this.directory, env)
    this.#started.push(running)
    if (input !== undefined) running.child.stdin.end(input)
    return running
  }

  /**
   * What a run that is not interrupted has printed, and its exit code.
   *
   * @param {string[]} args
   * @param {Options} [options]
   */
  async run(args, { env = {}, input = '' } = {}) {
    return this.start(args, { env, input }).ended
  }

  /**
   * The stdout of a run that must succeed.
   *
   * @param {string[]} args
   * @param {Options} [options]
   */
  async ok(args, options) {
    const { code, stdout, stderr } = await this.run(args, options)
    assert.equal(code, 0, `petstore ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  /**
   * The error of a run that must fail.
   *
   * @param {string[]} args
   * @param {Options} [options]
   * @returns {Promise<{ exitCode: number, message: string, hint?: string }>}
   */
  async fails(args, options) {
    const { stderr } = await this.run(args, options)
    const line = stderr.split('\n').find(text => text.startsWith('{"error"'))
    assert.ok(line, `petstore ${args.join(' ')}: ${stderr}`)
    return JSON.parse(line).error
  }

  /** The local service, empty and in memory, and the variables of another program that uses it. */
  async serve() {
    const server = this.start(['serve', '--port', '0', '--empty', '--json', '-q'])
    const { url, messagesUrl, apiKey } = JSON.parse(await server.printed('stdout', /.*\n/))
    const env = {
      PETSTORE_BASE_URL: url,
      PETSTORE_MESSAGES_URL: messagesUrl,
      PETSTORE_API_KEY: apiKey
    }
    return { server, url, apiKey, env }
  }

  async leave() {
    for (const running of this.#started) running.child.kill()
    await Promise.all(this.#started.map(({ ended }) => ended))
    rmSync(this.directory, { recursive: true, maxRetries: 5 })
  }
}

class Running {
  output = { stdout: '', stderr: '' }

  /**
   * @param {string[]} args
   * @param {string} directory
   * @param {Record<string, string>} env
   */
  constructor(args, directory, env) {
    const own = inherited.map(name => [name, process.env[name] ?? ''])
    const child = spawn(process.execPath, ['--require', hooks, program, ...args], {
      cwd: directory,
      env: { ...Object.fromEntries(own), APPDATA: directory, ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc']
    })
    this.child = /** @type {import('node:child_process').ChildProcessWithoutNullStreams} */ (child)
    // A program may end without reading its input.
    this.child.stdin.on('error', () => {})
    for (const name of /** @type {const} */ (['stdout', 'stderr']))
      this.child[name].setEncoding('utf8').on('data', text => {
        this.output[name] += text
      })
    /** @type {Promise<{ code: number | null, stdout: string, stderr: string }>} */
    this.ended = new Promise(resolve => {
      this.child.once('close', code => resolve({ code, ...this.output }))
    })
  }

  /**
   * Waits for a text.
   *
   * @param {'stdout' | 'stderr'} name
   * @param {RegExp} pattern
   */
  async printed(name, pattern) {
    let isOver = false
    while (!pattern.test(this.output[name])) {
      assert.ok(!isOver, `the program has printed no ${pattern}: ${this.output.stderr}`)
      const more = once(this.child[name], 'data').then(() => false)
      isOver = await Promise.race([more, this.ended.then(() => true)])
    }
    return this.output[name]
  }

  async pressCtrlC() {
    this.child.send('SIGINT')
    return this.ended
  }
}
