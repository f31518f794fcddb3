import { CatalogueError } from '@binnacle/base';
import { DatabaseSync } from 'node:sqlite';
import type { SQLOutputValue } from 'node:sqlite';
import { checksumOf } from './checksum.ts';
import { numberOf } from './rows.ts';

/**
 * The file: a log of puts and deletes in the order of their positions. What a change replaced is `previous`, so the
 * live keys are the puts that nothing has replaced, and compaction knows what to take out without an index.
 *
 *     position revision kind key previous
 *            7        5  put  a        -      taken out when revision 6 is compacted away
 *            8        6  put  a        7
 *            9        7  del  a        8      taken out together with 8
 *
 * `crc` is over all the rest of the row. Format 1 had none.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS log (
    position INTEGER PRIMARY KEY, revision INTEGER NOT NULL, kind INTEGER NOT NULL, key BLOB NOT NULL,
    create_revision INTEGER NOT NULL, version INTEGER NOT NULL, lease INTEGER NOT NULL,
    previous INTEGER NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS lease (id INTEGER PRIMARY KEY, granted_ttl INTEGER NOT NULL, ttl INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

const APPLICATION_ID = 0x42_6e_61_63;
const FORMAT = 2;
const LOCK_WAIT_MS = 500;
/** Of a new file. In SQLite's 4 KiB a page holds one object of an ordinary size, and is half empty. */
export const PAGE_BYTES = 8192;

/** A file that is not ours, or of a later version. */
export class ForeignFileError extends CatalogueError {
  constructor(why: string) {
    super('store-foreign-file', `the file is no store of this version: ${why}`);
  }
}

/** Opens and locks the file; makes what is missing, and brings a file of an earlier format up to this one. */
export function openFile(path: string, bytesMax: number | undefined): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    prepare(db, bytesMax);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function prepare(db: DatabaseSync, bytesMax: number | undefined): void {
  // Exclusive before anything is read: the lock is held until close, and no shared-memory file is needed.
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL`);
  const isNew = numberOf(db.prepare('PRAGMA schema_version').get(), 'schema_version') === 0;
  const format = isNew ? FORMAT : formatOf(db);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${16 * 1024 * 1024};
    PRAGMA cache_size = -4096;
  `);
  if (isNew) db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}`);
  // A write takes the lock even where the schema is there already.
  db.exec(`BEGIN EXCLUSIVE; ${SCHEMA} COMMIT;`);
  if (format === 1) addChecksums(db);
  if (bytesMax === undefined) return;
  const pageBytes = numberOf(db.prepare('PRAGMA page_size').get(), 'page_size');
  db.exec(`PRAGMA max_page_count = ${Math.max(16, Math.floor(bytesMax / pageBytes))}`);
}

function formatOf(db: DatabaseSync): number {
  const id = numberOf(db.prepare('PRAGMA application_id').get(), 'application_id');
  const format = numberOf(db.prepare('PRAGMA user_version').get(), 'user_version');
  if (id === APPLICATION_ID && format >= 1 && format <= FORMAT) return format;
  throw new ForeignFileError(`application ${id}, format ${format}`);
}

/** From format 1 to 2, in one transaction: a process that dies meanwhile leaves the file as it was. */
function addChecksums(db: DatabaseSync): void {
  db.function('row_crc', { varargs: true }, (...row: SQLOutputValue[]): number => {
    const n = (at: number): number => Number(row[at]);
    const [kind, position, revision, createRevision, version, lease, previous] = [0, 1, 2, 3, 4, 5, 6].map(n);
    const [key, value] = [row[7], row[8]];
    if (!(key instanceof Uint8Array) || !(value instanceof Uint8Array))
      throw new ForeignFileError('a row is no record');
    return checksumOf(
      {
        kind: kind ?? 0,
        position: position ?? 0,
        revision: revision ?? 0,
        createRevision: createRevision ?? 0,
        version: version ?? 0,
        lease: lease ?? 0,
        previous: previous ?? 0,
      },
      key.byteLength,
      key,
      value,
    );
  });
  const columns = 'kind, position, revision, create_revision, version, lease, previous, key, value';
  db.exec('BEGIN EXCLUSIVE');
  try {
    db.exec(`
      ALTER TABLE log ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
      UPDATE log SET crc = row_crc(${columns});
      PRAGMA user_version = 2;
      COMMIT;
    `);
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
