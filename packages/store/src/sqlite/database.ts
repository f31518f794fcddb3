import { CatalogueError } from '@binnacle/base';
import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import type { LeaseRecord } from '../mvcc/journal.ts';
import type { Loaded } from './messages.ts';
import type { Packed } from './packing.ts';
import { FIELD, KIND, Packer, STRIDE } from './packing.ts';

/**
 * The file: a log of puts and deletes in the order of their positions. What a change replaced is `previous`, so the
 * live keys are the puts that nothing has replaced, and compaction knows what to take out without an index.
 *
 *     position revision kind key previous
 *            7        5  put  a        -      taken out when revision 6 is compacted away
 *            8        6  put  a        7
 *            9        7  del  a        8      taken out together with 8
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS log (
    position INTEGER PRIMARY KEY, revision INTEGER NOT NULL, kind INTEGER NOT NULL, key BLOB NOT NULL,
    create_revision INTEGER NOT NULL, version INTEGER NOT NULL, lease INTEGER NOT NULL,
    previous INTEGER NOT NULL, value BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS lease (id INTEGER PRIMARY KEY, granted_ttl INTEGER NOT NULL, ttl INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

const APPLICATION_ID = 0x42_6e_61_63;
const FORMAT = 1;
const LOCK_WAIT_MS = 500;
const PART_BYTES = 1 << 20;
const COMPACT_ROWS = 256;
const VACUUM_PAGES = 128;
/** Of a new file. In SQLite's 4 KiB a page holds one object of an ordinary size, and is half empty. */
export const PAGE_BYTES = 8192;
const COLUMNS = 'kind, position, revision, create_revision, version, lease, previous, key, value';

/** A file that is not ours, or of a later version. */
export class ForeignFileError extends CatalogueError {
  constructor(why: string) {
    super('store-foreign-file', `the file is no store of this version: ${why}`);
  }
}

/** All SQL of the engine; lives in the worker. */
export class Database {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #putLease: StatementSync;
  readonly #dropLease: StatementSync;
  readonly #setFact: StatementSync;
  readonly #getFact: StatementSync;
  readonly #at: StatementSync;
  #compactRevision: number;
  #compacted: number;
  #compactNoted = true;

  constructor(path: string, bytesMax: number | undefined) {
    this.#db = openFile(path, bytesMax);
    const db = this.#db;
    this.#insert = db.prepare(`INSERT INTO log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#putLease = db.prepare('INSERT OR REPLACE INTO lease (id, granted_ttl, ttl) VALUES (?, ?, ?)');
    this.#dropLease = db.prepare('DELETE FROM lease WHERE id = ?');
    this.#setFact = db.prepare('INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)');
    this.#getFact = db.prepare('SELECT value FROM fact WHERE name = ?');
    this.#at = db.prepare('SELECT position, revision FROM log WHERE position >= ? ORDER BY position LIMIT 1');
    this.#compactRevision = this.#fact('compactRevision');
    this.#compacted = this.#fact('compactedPosition');
  }

  /** Runs the work in one transaction; when it throws nothing of it stays. */
  transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
    } catch (error) {
      this.#rollback();
      throw error;
    }
    try {
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#rollback();
      throw new CommitError(error);
    }
  }

  write(packed: Packed): void {
    const { numbers, bytes } = packed;
    let used = 0;
    for (let i = 0; i < packed.count; i++) {
      const at = i * STRIDE;
      const n = (field: number): number => numbers[at + field] ?? 0;
      if (n(FIELD.kind) === KIND.lease) {
        this.#writeLease(n(FIELD.position), n(FIELD.revision), n(FIELD.createRevision));
        continue;
      }
      const keyEnd = used + n(FIELD.keyLength);
      const valueEnd = keyEnd + n(FIELD.valueLength);
      this.#insert.run(
        n(FIELD.kind),
        n(FIELD.position),
        n(FIELD.revision),
        n(FIELD.createRevision),
        n(FIELD.version),
        n(FIELD.lease),
        n(FIELD.previous),
        bytes.subarray(used, keyEnd),
        bytes.subarray(keyEnd, valueEnd),
      );
      used = valueEnd;
    }
  }

  #writeLease(id: number, grantedTtl: number, ttl: number): void {
    if (ttl > 0) this.#putLease.run(id, grantedTtl, ttl);
    else this.#dropLease.run(id);
  }

  /** Hands the live entries over in parts, then tells where the last run stopped. */
  load(send: (part: Packed) => void): Loaded {
    const live = this.#db.prepare(
      `SELECT ${COLUMNS} FROM log WHERE kind = ${KIND.put} AND position NOT IN (SELECT previous FROM log) ORDER BY position`,
    );
    const packer = new Packer();
    for (const row of live.iterate()) {
      packRow(packer, row);
      if (packer.used >= PART_BYTES) send(packer.take());
    }
    send(packer.take());
    const last = this.#db.prepare('SELECT position, revision FROM log ORDER BY position DESC LIMIT 1').get();
    return {
      revision: Math.max(numberOf(last, 'revision'), this.#compactRevision, 1),
      compactRevision: this.#compactRevision,
      nextPosition: Math.max(numberOf(last, 'position'), this.#compacted) + 1,
      leases: this.#leases(),
    };
  }

  #leases(): LeaseRecord[] {
    const rows = this.#db.prepare('SELECT id, granted_ttl, ttl FROM lease').all();
    return rows.map((row) => ({
      id: numberOf(row, 'id'),
      grantedTtl: numberOf(row, 'granted_ttl'),
      ttl: numberOf(row, 'ttl'),
    }));
  }

  /** Changes of whole revisions after `after` up to `upTo`, about a mebibyte of them, each behind what it replaced. */
  history(after: number, upTo: number): Packed {
    const rows = this.#db.prepare(`
      SELECT c.kind, c.position, c.revision, c.create_revision, c.version, c.lease, c.previous, c.key, c.value,
        p.kind AS p_kind, p.position AS p_position, p.revision AS p_revision, p.create_revision AS p_create_revision,
        p.version AS p_version, p.lease AS p_lease, p.key AS p_key, p.value AS p_value
      FROM log c LEFT JOIN log p ON p.position = c.previous WHERE c.position >= ? ORDER BY c.position`);
    const packer = new Packer();
    let full: number | undefined;
    for (const row of rows.iterate(this.#firstAfter(after))) {
      const revision = numberOf(row, 'revision');
      if (revision > upTo || (full !== undefined && revision !== full)) break;
      if (row['p_position'] !== null) packRow(packer, row, 'p_');
      packRow(packer, row);
      if (packer.used >= PART_BYTES) full = revision;
    }
    return packer.take();
  }

  /** The first position whose revision is greater; revisions ascend with positions. */
  #firstAfter(revision: number): number {
    let low = 0;
    let high = numberOf(this.#db.prepare('SELECT max(position) AS position FROM log').get(), 'position') + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#at.get(middle);
      if (row !== undefined && numberOf(row, 'revision') <= revision) low = numberOf(row, 'position') + 1;
      else high = middle;
    }
    return low;
  }

  /** Decides that history before `revision` goes; `compactSome` writes it down and does the work. */
  compact(revision: number): void {
    this.#compactRevision = revision;
    this.#compactNoted = false;
  }

  get compacting(): boolean {
    if (!this.#compactNoted) return true;
    const next = this.#at.get(this.#compacted + 1);
    return next !== undefined && numberOf(next, 'revision') < this.#compactRevision;
  }

  /** Takes out what the next few changes replaced; inside a transaction. Gives free pages back when there are many. */
  compactSome(): void {
    if (!this.#compactNoted) this.#setFact.run('compactRevision', this.#compactRevision);
    this.#compactNoted = true;
    const end = this.#db
      .prepare(
        `SELECT max(position) AS position FROM
           (SELECT position FROM log WHERE position > ? AND revision < ? ORDER BY position LIMIT ${COMPACT_ROWS})`,
      )
      .get(this.#compacted, this.#compactRevision);
    const upTo = numberOf(end, 'position');
    if (upTo <= this.#compacted) return;
    const from = this.#compacted;
    this.#db
      .prepare('DELETE FROM log WHERE position IN (SELECT previous FROM log WHERE position > ? AND position <= ?)')
      .run(from, upTo);
    this.#db.prepare(`DELETE FROM log WHERE position > ? AND position <= ? AND kind = ${KIND.delete}`).run(from, upTo);
    this.#setFact.run('compactedPosition', upTo);
    this.#compacted = upTo;
  }

  /** A quarter of the pages may wait free for new use; more are given back to the disk, some at a time. */
  vacuumSome(): void {
    const free = numberOf(this.#db.prepare('PRAGMA freelist_count').get(), 'freelist_count');
    const pages = numberOf(this.#db.prepare('PRAGMA page_count').get(), 'page_count');
    if (free > VACUUM_PAGES && free * 4 > pages) this.#db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
  }

  /** Moves the write-ahead log into the file. */
  checkpoint(): void {
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** Notes what compaction has decided; its work goes on at the next start. */
  close(): void {
    if (!this.#compactNoted) this.transaction(() => this.#setFact.run('compactRevision', this.#compactRevision));
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  #rollback(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }

  #fact(name: string): number {
    return numberOf(this.#getFact.get(name), 'value');
  }
}

/** The commit itself failed: after input/output errors nobody knows whether it is on disk. */
export class CommitError extends CatalogueError {
  constructor(cause: unknown) {
    super('store-commit', 'the commit failed', { cause });
  }
}

type Row = Record<string, SQLOutputValue>;

function openFile(path: string, bytesMax: number | undefined): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  // Exclusive before anything is read: the lock is held until close, and no shared-memory file is needed.
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL`);
  const isNew = numberOf(db.prepare('PRAGMA schema_version').get(), 'schema_version') === 0;
  if (!isNew) assertOurs(db);
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
  if (bytesMax !== undefined) {
    const pageBytes = numberOf(db.prepare('PRAGMA page_size').get(), 'page_size');
    db.exec(`PRAGMA max_page_count = ${Math.max(16, Math.floor(bytesMax / pageBytes))}`);
  }
  return db;
}

function assertOurs(db: DatabaseSync): void {
  const id = numberOf(db.prepare('PRAGMA application_id').get(), 'application_id');
  const format = numberOf(db.prepare('PRAGMA user_version').get(), 'user_version');
  if (id === APPLICATION_ID && format === FORMAT) return;
  db.close();
  throw new ForeignFileError(`application ${id}, format ${format}`);
}

/** `p_` is the half of the row with what the change replaced. */
function packRow(packer: Packer, row: Row, prefix: '' | 'p_' = ''): void {
  const key = row[`${prefix}key`];
  const value = row[`${prefix}value`];
  if (!(key instanceof Uint8Array) || !(value instanceof Uint8Array)) throw new ForeignFileError('a row is no record');
  packer.addEntry(
    prefix === '' ? numberOf(row, 'kind') : KIND.previous,
    {
      key: Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1'),
      value,
      createRevision: numberOf(row, `${prefix}create_revision`),
      modRevision: numberOf(row, `${prefix}revision`),
      version: numberOf(row, `${prefix}version`),
      lease: numberOf(row, `${prefix}lease`),
      position: numberOf(row, `${prefix}position`),
    },
    0,
  );
}

/** A number of a row; 0 where there is no row or nothing in it. */
function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === 'number' ? value : 0;
}
