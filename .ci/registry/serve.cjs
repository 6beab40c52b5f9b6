/**
 * `node serve.cjs DIRECTORY UPLINK`: a registry on loopback, which stores petstore-cli below
 * DIRECTORY and takes all other packages from UPLINK. It prints its port when it is ready.
 */
const { runServer } = require('verdaccio')

const [directory, uplink] = process.argv.slice(2)

const options = {
  self_path: directory,
  storage: `${directory}/storage`,
  auth: { htpasswd: { file: `${directory}/users` } },
  uplinks: { npm: { url: uplink } },
  packages: {
    'petstore-cli': { access: '$all', publish: '$authenticated' },
    '**': { access: '$all', proxy: 'npm' }
  },
  web: { enable: false },
  log: { type: 'stderr', level: 'warn' }
}

runServer(options).then(server =>
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
)
