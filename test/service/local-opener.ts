import { Failure } from '../../src/failure.ts'
import { openLocalService } from '../../src/service/local.ts'

// A program that opens the local service like `--env local`, and prints the result. `processes.ts`
// runs it.
try {
  const { send, close, isOnDisk } = openLocalService(process.argv[2] ?? '', () => new Date())
  const headers = { authorization: 'Bearer local' }
  const { status } = await send({ method: 'GET', url: 'http://localhost/v1/pets', headers })
  await close()
  process.stdout.write(JSON.stringify({ isOnDisk, status }))
} catch (error) {
  if (!(error instanceof Failure)) throw error
  process.stdout.write(JSON.stringify({ failure: error.code }))
}
