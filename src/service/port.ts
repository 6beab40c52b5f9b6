import { Failure } from '../failure.ts'

/** Why a server could not be put on its port, in words, with the command that gets further. */
export function explainListening(error: unknown, host: string, port: number): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return new Failure('local', `port ${port} of ${host} is taken by another program`, {
        hint: 'petstore serve --port 0',
        cause: error,
      })
    case 'EACCES':
      return new Failure('local', `this user may not listen on port ${port}`, {
        hint: 'petstore serve --port 0',
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new Failure('local', `${host} is no address of this machine: ${message}`, {
        hint: 'petstore serve --host 127.0.0.1',
        cause: error,
      })
    default:
      return error
  }
}
