import Database from 'libsql'

/** A bare connection, as another program on the same file has it. */
export function connect(path: string): Database.Database {
  const connection = new Database(path)
  connection.defaultSafeIntegers(true)
  return connection
}
