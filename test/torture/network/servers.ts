import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { isRoot, programPath } from '../../support/needs.ts'
import { temporaryDirectory } from '../../support/temp.ts'

/** Starts nginx with these directives inside `http`. */
export function startNginx(port: number, http: string) {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'logs'))
  const user = isRoot() ? 'user root;' : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${name};`
  )
  const configuration = `daemon off; pid nginx.pid; ${user} events {}
    http { access_log off; ${temporary.join(' ')} ${http} }`
  writeFileSync(join(directory, 'nginx.conf'), configuration)
  return start(port, ['nginx', '-e', 'stderr', '-p', directory, '-c', 'nginx.conf'])
}

/** Starts haproxy with these rules. */
export function startHaproxy(port: number, rules: string) {
  const file = join(temporaryDirectory(), 'haproxy.cfg')
  const times = 'timeout connect 5s\n timeout client 30s\n timeout server 30s'
  writeFileSync(
    file,
    `defaults\n mode http\n ${times}\nlisten pets\n bind 127.0.0.1:${port}\n ${rules}\n`
  )
  return start(port, ['haproxy', '-db', '-f', file])
}

/** Starts varnish with the VCL that it has by itself, and these lines in its backend. */
export function startVarnish(port: number, backend: string) {
  const directory = temporaryDirectory()
  const file = join(directory, 'default.vcl')
  writeFileSync(file, `vcl 4.1; backend default { ${backend} }`)
  const options = ['-F', '-j', 'none', '-T', 'none', '-s', 'malloc,16m']
  const places = ['-n', join(directory, 'varnish'), '-f', file, '-a', `127.0.0.1:${port}`]
  return start(port, ['varnishd', ...options, ...places])
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function start(port: number, command: readonly string[]): Promise<void> {
  // The server also ends if the tests are killed.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], {
    env: { PATH: programPath },
    stdio: ['ignore', 'ignore', 'pipe']
  })
  let log = ''
  child.stderr.on('data', chunk => {
    log += chunk
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended: ${log}`)
    await wait(10)
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false
  )
  socket.destroy()
  return isOpen
}
