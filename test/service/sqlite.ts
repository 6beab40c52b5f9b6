import { loadSqlite } from '../../src/platform/sqlite.ts'

/**
 * A bare connection, as another program on the same file has it. It uses the library that the program uses: in one
 * process two of them would not see each other's locks.
 */
export const connect = await loadSqlite()
