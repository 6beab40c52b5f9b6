import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { isRoot, programPath, withOwnMounts } from '../../support/needs.ts'
import { temporaryDirectory } from '../../support/temp.ts'

/** An installed server that runs in the foreground, on loopback, until the current test ends. */
export interface Server {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly directory: string
  /** The output so far. */
  log(): string
  /** Resolves when the server listens on the port. */
  listensOn(port: number): Promise<void>
  /** Ends the server, and resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts nginx with these directives inside `http`. SIGHUP reloads its configuration file,
 * `nginx.conf`.
 */
export async function startNginx(ports: readonly number[], http: string): Promise<Server> {
  const directory = temporaryDirectory()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${name};`
  )
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid nginx.pid; worker_processes 1; ${isRoot() ? 'user root;' : ''}
    events { worker_connections 1024; }
    http { access_log off; ${temporary.join(' ')} ${http} }`
  )
  return startServer(directory, ports, [
    'nginx',
    '-e',
    'stderr',
    '-p',
    directory,
    '-c',
    'nginx.conf'
  ])
}

/** Starts haproxy with these sections. SIGUSR2 reloads its configuration file, `haproxy.cfg`. */
export async function startHaproxy(ports: readonly number[], sections: string): Promise<Server> {
  const directory = temporaryDirectory()
  writeFileSync(
    join(directory, 'haproxy.cfg'),
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
${sections}
`
  )
  return startServer(directory, ports, [
    'haproxy',
    '-W',
    '-db',
    '-f',
    join(directory, 'haproxy.cfg')
  ])
}

/**
 * A host that only these proxies can resolve, to this machine. The program does not treat it as
 * loopback.
 */
export const proxiedHost = 'pets.example'
const hosts = `127.0.0.1 ${proxiedHost}\n`

/**
 * Starts squid with Debian's configuration, changed only in the port and the paths of files. A
 * graceful end of squid takes a second and a half, so it is killed.
 */
export async function startSquid(port: number, firstRules = ''): Promise<Server> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'hosts'), hosts)
  // Started by root, squid runs as another user, who needs access to its files.
  chmodSync(directory, 0o755)
  const name = `petstore${port}`
  onTestFinished(() => {
    for (const part of ['metadata', 'queues', 'readers'])
      rmSync(`/dev/shm/${name}-cf__${part}.shm`, { force: true })
  })
  const places = [
    `hosts_file ${join(directory, 'hosts')}`,
    'pid_filename none',
    'cache_log /dev/null',
    'access_log none',
    'netdb_filename none',
    'pinger_enable off',
    'visible_hostname squid.example',
    'shutdown_lifetime 0 seconds'
  ]
  const stock = changed('/etc/squid/squid.conf', [
    [/^http_port .*$/m, `http_port 127.0.0.1:${port}`]
  ])
  writeFileSync(join(directory, 'squid.conf'), [...places, firstRules, stock].join('\n'))
  return startServer(
    directory,
    [port],
    ['squid', '-N', '-n', name, '-f', join(directory, 'squid.conf')],
    'SIGKILL'
  )
}

/**
 * Starts tinyproxy with Debian's configuration, changed only in the port and the paths of files. It
 * uses the system's name lookup, so it gets its own hosts file in a separate mount.
 */
export async function startTinyproxy(port: number, moreRules = ''): Promise<Server> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'hosts'), hosts)
  const stock = changed('/etc/tinyproxy/tinyproxy.conf', [
    [/^Port .*$/m, `Port ${port}\nListen 127.0.0.1`],
    [/^(User|Group|LogFile|PidFile) .*$/gm, '']
  ])
  writeFileSync(join(directory, 'tinyproxy.conf'), `${stock}\n${moreRules}\n`)
  const mounted = [
    ...withOwnMounts,
    'sh',
    '-c',
    'mount --bind "$1" /etc/hosts && shift && exec "$@"',
    'sh'
  ]
  const command = ['tinyproxy', '-d', '-c', join(directory, 'tinyproxy.conf')]
  return startServer(directory, [port], [...mounted, join(directory, 'hosts'), ...command])
}

const handedOut = new Set<number>()

/**
 * A port below the range that the system assigns to clients, so that a server can use it again at
 * any time.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (handedOut.has(port)) continue
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    handedOut.add(port)
    return port
  }
}

/** Replaces text in a file. A pattern without a match means that Debian has changed the file. */
function changed(path: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce(
    (text, [pattern, replacement]) => {
      if (text.search(pattern) < 0) throw new Error(`${path} has no ${pattern}`)
      return text.replace(pattern, replacement)
    },
    readFileSync(path, 'utf8')
  )
}

/** Starts a server that listens on these ports. */
export async function startServer(
  directory: string,
  ports: readonly number[],
  command: readonly string[],
  lastSignal: NodeJS.Signals = 'SIGTERM'
): Promise<Server> {
  // The server also ends if the tests are killed.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], {
    cwd: directory,
    env: { PATH: programPath, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const ended = once(child, 'exit')
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log += chunk
    })
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async (signal = lastSignal) => {
    if (hasEnded()) return
    child.kill(signal)
    // A stopped process receives other signals only after SIGCONT.
    child.kill('SIGCONT')
    await ended
  }
  onTestFinished(() => stop())
  const listensOn = async (port: number) => {
    while (!(await acceptsConnections(port))) {
      if (hasEnded()) throw new Error(`${command.join(' ')} ended: ${log}`)
      await wait(5)
    }
  }
  for (const port of ports) await listensOn(port)
  return { child, directory, log: () => log, listensOn, stop }
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
