/**
 * `node serve.cjs DIRECTORY UPLINK`: a registry on loopback, which stores petstore-cli below
 * DIRECTORY, in stages too, and takes all other packages from UPLINK. Its port is in DIRECTORY/port
 * when it is ready.
 */
const { writeFileSync } = require('node:fs')
const { runServer } = require('verdaccio')

const [directory, uplink] = process.argv.slice(2)

const options = {
  self_path: directory,
  storage: `${directory}/storage`,
  auth: { htpasswd: { file: `${directory}/users` } },
  uplinks: { npm: { url: uplink } },
  packages: {
    'petstore-cli': { access: '$all', publish: '$authenticated', stage: '$authenticated' },
    '**': { access: '$all', proxy: 'npm' }
  },
  flags: { stage: true },
  web: { enable: false },
  log: { type: 'stderr', level: 'warn' }
}

runServer(options).then(server =>
  server.listen(0, '127.0.0.1', () =>
    writeFileSync(`${directory}/port`, String(server.address().port))
  )
)
