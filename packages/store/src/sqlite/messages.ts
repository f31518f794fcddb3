import type { LeaseRecord } from '../mvcc/journal.ts';
import type { Packed } from './packing.ts';

/** What the worker is started with. */
export interface WorkerStart extends DatabaseStart {
  /** See mailbox.ts. */
  readonly mailbox: SharedArrayBuffer;
}

export interface DatabaseStart {
  readonly path: string;
  /** The file may grow so far; absent: as the disk allows. */
  readonly bytesMax?: number;
  /** Where to remember how far revisions have come; absent: nowhere. */
  readonly markPath?: string;
  /** Go on, with higher revisions, where the database is not all that was acknowledged. */
  readonly acceptDataLoss?: boolean;
}

/** A batch to make durable. Batches are numbered from 1 on, and over from 2³¹ to −2³¹; the worker tells how far it has come. */
export interface CommitMessage {
  readonly batch: number;
  readonly packed: Packed;
}

/** Anything else that is asked; answered with the same id. */
export type Question =
  | { readonly ask: 'load' }
  | { readonly ask: 'history'; readonly after: number; readonly upTo: number }
  | { readonly ask: 'compact'; readonly revision: number }
  | { readonly ask: 'probe' }
  | { readonly ask: 'holdFile' }
  | { readonly ask: 'releaseFile' }
  | { readonly ask: 'close' };

export interface QuestionMessage {
  readonly id: number;
  readonly question: Question;
}

export type ToWorker = CommitMessage | QuestionMessage;

/** Where the last run stopped. */
export interface Loaded {
  readonly revision: number;
  readonly compactRevision: number;
  readonly nextPosition: number;
  readonly leases: readonly LeaseRecord[];
}

export interface Failure {
  readonly message: string;
  /** SQLite's result code, where it was SQLite. */
  readonly code: number;
  readonly outcomeUnknown: boolean;
  /** Where it is a DamagedValueError. */
  readonly damagedKey?: string;
  /** Where it is a StoreCutBackError. */
  readonly cutBack?: { readonly why: string; readonly facts: { readonly [name: string]: unknown } };
}

/** From the worker, beside how far it has come. */
export type FromWorker =
  | { readonly opened: true; readonly loss?: string }
  | { readonly failed: Failure }
  /** There is no room: no batch after the last durable one is written, until a probe finds some. */
  | { readonly full: Failure }
  | Reply;

/** To a question; parts come before the answer. */
export type Reply =
  | { readonly id: number; readonly part: Packed }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failed: Failure };
