import { CatalogueError } from '@binnacle/base';
import { randomInt } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreCutBackError } from '../errors.ts';
import type { LeaseRecord } from '../mvcc/journal.ts';
import type { RowNumbers } from './checksum.ts';
import { checksumOf } from './checksum.ts';
import type { Continuation } from './cut-back.ts';
import { judgeFound } from './cut-back.ts';
import { MarkFile, readMark } from './mark.ts';
import type { DatabaseStart, Loaded } from './messages.ts';
import type { Packed } from './packing.ts';
import { FIELD, KIND, Packer, STRIDE } from './packing.ts';
import { COLUMNS, numberOf, packRow, PREVIOUS_COLUMNS } from './rows.ts';
import { openFile } from './schema.ts';

const PART_BYTES = 1 << 20;
const COMPACT_ROWS = 256;
const VACUUM_PAGES = 128;
/** The mark is made durable once for so many revisions; so far they may jump when a process was killed. */
const RESERVED_AHEAD = 10_000;

/** All SQL of the engine, and the mark beside it; lives in the worker. */
export class Database {
  readonly #db: DatabaseSync;
  readonly #mark: MarkFile | undefined;
  readonly #insert: StatementSync;
  readonly #putLease: StatementSync;
  readonly #dropLease: StatementSync;
  readonly #setFact: StatementSync;
  readonly #getFact: StatementSync;
  readonly #at: StatementSync;
  #compactRevision: number;
  #compacted: number;
  #compactNoted = true;

  /** The newest revision written, in an open transaction too. */
  #revision = 0;
  /** The newest revision that is durable. */
  #durable: number;
  /** Told to the opener: what was lost, and accepted to be. */
  readonly loss: string | undefined;

  /** Throws StoreCutBackError before anything is changed. */
  constructor(options: DatabaseStart) {
    this.#db = openFile(options.path, options.bytesMax);
    const db = this.#db;
    this.#insert = db.prepare(`INSERT INTO log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#putLease = db.prepare('INSERT OR REPLACE INTO lease (id, granted_ttl, ttl) VALUES (?, ?, ?)');
    this.#dropLease = db.prepare('DELETE FROM lease WHERE id = ?');
    this.#setFact = db.prepare('INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)');
    this.#getFact = db.prepare('SELECT value FROM fact WHERE name = ?');
    this.#at = db.prepare('SELECT position, revision FROM log WHERE position >= ? ORDER BY position LIMIT 1');
    this.#compactRevision = this.#fact('compactRevision');
    this.#compacted = this.#fact('compactedPosition');
    this.#revision = Math.max(
      numberOf(db.prepare('SELECT revision FROM log ORDER BY position DESC LIMIT 1').get(), 'revision'),
      this.#compactRevision,
      this.#fact('revision'),
      1,
    );
    this.#durable = this.#revision;
    try {
      const { mark, loss } = this.#continue(options);
      this.#mark = mark;
      this.loss = loss;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Finds out where revisions go on, and writes that down here and in the mark. */
  #continue(options: DatabaseStart): { readonly mark: MarkFile | undefined; readonly loss: string | undefined } {
    const { path, markPath } = options;
    if (markPath === undefined) return { mark: undefined, loss: undefined };
    const old = readMark(markPath);
    const known = this.#fact('id');
    const going = judgeFound({ path, markPath, mark: old, database: { id: known, revision: this.#revision } });
    if (going.loss !== undefined && options.acceptDataLoss !== true) {
      throw new StoreCutBackError(going.loss, { path, markPath });
    }
    const id = known !== 0 ? known : typeof old === 'object' ? old.id : randomInt(1, 2 ** 47);
    const makeMark = (): MarkFile =>
      new MarkFile(markPath, { id, reserved: going.revision + RESERVED_AHEAD, durable: this.#durable });
    // One that has never heard of a mark must not say so before there is one.
    const first = known === 0 ? makeMark() : undefined;
    const isNews = known !== id || going.revision !== this.#revision || going.isForgetful;
    if (isNews) this.transaction(() => this.#writeContinuation(id, going));
    this.#revision = going.revision;
    this.#durable = going.revision;
    return { mark: first ?? makeMark(), loss: going.loss };
  }

  #writeContinuation(id: number, going: Continuation): void {
    this.#setFact.run('id', id);
    this.#setFact.run('revision', going.revision);
    if (!going.isForgetful) return;
    this.#compactRevision = going.revision;
    this.#setFact.run('compactRevision', going.revision);
  }

  /**
   * Runs the work in one transaction; when it throws nothing of it stays. What it wrote is durable when it returns,
   * and the mark is ahead of it.
   */
  transaction(work: () => void): void {
    const before = { noted: this.#compactNoted, compacted: this.#compacted };
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#reserve();
    } catch (error) {
      this.#rollback(before);
      throw error;
    }
    try {
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#rollback(before);
      throw new CommitError(error);
    }
    this.#noteDurable();
  }

  /** Before the commit: no revision is given that the mark does not know of. */
  #reserve(): void {
    const mark = this.#mark;
    if (mark !== undefined && this.#revision > mark.reserved) {
      mark.reserve(this.#revision + RESERVED_AHEAD, this.#durable);
    }
  }

  #noteDurable(): void {
    if (this.#revision === this.#durable) return;
    this.#durable = this.#revision;
    try {
      this.#mark?.note(this.#durable);
    } catch (error) {
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
      const row: RowNumbers = {
        kind: n(FIELD.kind),
        position: n(FIELD.position),
        revision: n(FIELD.revision),
        createRevision: n(FIELD.createRevision),
        version: n(FIELD.version),
        lease: n(FIELD.lease),
        previous: n(FIELD.previous),
      };
      this.#insert.run(
        row.kind,
        row.position,
        row.revision,
        row.createRevision,
        row.version,
        row.lease,
        row.previous,
        bytes.subarray(used, keyEnd),
        bytes.subarray(keyEnd, valueEnd),
        checksumOf(row, keyEnd - used, bytes.subarray(used, valueEnd)),
      );
      if (row.revision > this.#revision) this.#revision = row.revision;
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
    const last = this.#db.prepare('SELECT position FROM log ORDER BY position DESC LIMIT 1').get();
    return {
      revision: this.#durable,
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
      SELECT c.*, ${PREVIOUS_COLUMNS}
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

  /** A write that changes nothing that anybody reads. */
  touch(): void {
    this.#setFact.run('probe', this.#fact('probe') + 1);
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
    // Whoever takes the log away now takes nothing that the mark does not know of, a loss of power between or not.
    if (this.#mark !== undefined) this.#mark.reserve(this.#mark.reserved, this.#durable);
  }

  /** Notes what compaction has decided; its work goes on at the next start. */
  close(): void {
    if (!this.#compactNoted) this.transaction(() => this.#setFact.run('compactRevision', this.#compactRevision));
    this.#mark?.reserve(this.#durable, this.#durable);
    this.#mark?.close();
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  #rollback(before: { readonly noted: boolean; readonly compacted: number }): void {
    this.#compactNoted = before.noted;
    this.#compacted = before.compacted;
    this.#revision = this.#durable;
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
