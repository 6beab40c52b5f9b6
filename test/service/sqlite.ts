import { loadSqlite } from '../../src/platform/sqlite.ts'

/**
 * Opens a connection like another program on the same file. It uses the same library as the
 * service: in one process, two libraries would not see the locks of each other.
 */
export const connect = await loadSqlite()
