import Database from 'libsql'

/** Another program on the same file: a bare connection that knows nothing of pets. */
export function connect(path: string): Database.Database {
  const connection = new Database(path)
  connection.defaultSafeIntegers(true)
  return connection
}
