export { openSqliteStore } from './sqlite/open.ts';
export type { SqliteStoreOptions } from './sqlite/open.ts';
