/**
 * Runs a command while this machine's port 53 answers every question with NXDOMAIN. In a network of its own nothing else
 * has that port.
 */
const { createSocket } = require('node:dgram')
const { spawn } = require('node:child_process')

const server = createSocket('udp4')
server.on('message', (question, { port, address }) => {
  const reply = Buffer.from(question)
  // A reply, with recursion, and the code 3.
  reply.writeUInt16BE(0x8183, 2)
  server.send(reply, port, address)
})
server.bind(53, '127.0.0.1', () => {
  const [command, ...rest] = process.argv.slice(2)
  spawn(command, rest, { stdio: 'inherit' }).on('exit', (code) => {
    process.exitCode = code ?? 1
    server.close()
  })
})
