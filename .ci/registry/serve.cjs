/**
 * `node serve.cjs DIRECTORY UPLINK`: a registry on loopback, which stores petstore-cli below
 * DIRECTORY and takes all other packages from UPLINK. It prints its port when it is ready.
 */
const { join } = require('node:path')
const { runServer } = require('verdaccio')

const [directory, uplink] = process.argv.slice(2)

async function serve() {
  const server = await runServer({
    self_path: directory,
    storage: join(directory, 'storage'),
    auth: { htpasswd: { file: join(directory, 'users') } },
    uplinks: { npm: { url: uplink } },
    packages: {
      'petstore-cli': { access: '$all', publish: '$authenticated' },
      '**': { access: '$all', proxy: 'npm' }
    },
    web: { enable: false },
    log: { type: 'stderr', level: 'warn' }
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}

serve()
