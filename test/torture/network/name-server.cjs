/**
 * Runs a command while port 53 of this machine answers every query with NXDOMAIN. It needs a
 * network namespace, in which that port is free.
 */
const { createSocket } = require('node:dgram')
const { spawn } = require('node:child_process')

const server = createSocket('udp4')
server.on('message', (question, { port, address }) => {
  const reply = Buffer.from(question)
  // The flags of a reply with recursion and code 3.
  reply.writeUInt16BE(0x8183, 2)
  server.send(reply, port, address)
})
server.bind(53, '127.0.0.1', () => {
  const [command, ...rest] = process.argv.slice(2)
  spawn(command, rest, { stdio: 'inherit' }).on('exit', code => {
    process.exitCode = code ?? 1
    server.close()
  })
})
