import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * A small file beside the database that remembers how far its revisions have come, whatever becomes of the database:
 *
 *     at 0     reservation, one line of text   two places, written in turn, each write made durable
 *     at 512   reservation, one line of text
 *     at 4096  the last durable revision       after every commit, without waiting for the disk
 *
 * No revision above the reservation is ever committed, so the file is made durable once for thousands of revisions.
 * The last durable revision outlives a killed process; after a loss of power it may be older, never newer than true.
 */
export interface Mark {
  /** Of the store that it belongs to. */
  readonly id: number;
  /** No revision above this one was ever given. */
  readonly reserved: number;
  /** The database had come so far. */
  readonly durable: number;
}

const FORMAT = 'binnacle-mark-1';
const SLOT_BYTES = 512;
const DURABLE_AT = 4096;
const DURABLE_BYTES = 12;
const FILE_BYTES = DURABLE_AT + SLOT_BYTES;
const FILE_MODE = 0o600;

interface Slot extends Mark {
  readonly sequence: number;
}

/** What the file says; undefined where there is none, 'damaged' where nothing of it can be read. */
export function readMark(path: string): Mark | 'damaged' | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(FILE_BYTES);
    readSync(file, bytes, 0, FILE_BYTES, 0);
    const slot = newestSlot(bytes);
    if (slot === undefined) return 'damaged';
    const { id, reserved, durable } = slot;
    return { id, reserved, durable: Math.max(durable, readDurable(bytes)) };
  } finally {
    closeSync(file);
  }
}

function newestSlot(bytes: Buffer): Slot | undefined {
  const slots = [readSlot(bytes.subarray(0, SLOT_BYTES)), readSlot(bytes.subarray(SLOT_BYTES, 2 * SLOT_BYTES))];
  const valid = slots.filter((slot) => slot !== undefined);
  return valid.toSorted((a, b) => b.sequence - a.sequence)[0];
}

function readSlot(bytes: Buffer): Slot | undefined {
  const words = bytes.toString('latin1').trimEnd().split(' ');
  const checksum = words.pop();
  if (words[0] !== FORMAT || checksum !== checksumOf(words)) return undefined;
  const [sequence = 0, id = 0, reserved = 0, durable = 0] = words.slice(1).map(Number);
  return { sequence, id, reserved, durable };
}

/** 0 where it is torn or was never written. */
function readDurable(bytes: Buffer): number {
  const sum = bytes.readUInt32LE(DURABLE_AT + 8);
  return crc32(bytes.subarray(DURABLE_AT, DURABLE_AT + 8)) === sum ? bytes.readDoubleLE(DURABLE_AT) : 0;
}

function checksumOf(words: readonly string[]): string {
  return crc32(words.join(' ')).toString(16).padStart(8, '0');
}

/** The file in use; lives in the worker, so that it is written between commits. */
export class MarkFile {
  readonly #file: number;
  readonly #durable = Buffer.alloc(DURABLE_BYTES);
  #sequence: number;
  #mark: Mark;

  /** Replaces what is there, durably, its name included. */
  constructor(path: string, mark: Mark) {
    this.#file = openSync(path, 'a+', FILE_MODE);
    closeSync(this.#file);
    this.#file = openSync(path, 'r+');
    const bytes = Buffer.alloc(FILE_BYTES);
    readSync(this.#file, bytes, 0, FILE_BYTES, 0);
    this.#sequence = newestSlot(bytes)?.sequence ?? 0;
    this.#mark = mark;
    this.#noteDurable(mark.durable);
    this.#write();
    const folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
    closeSync(folder);
  }

  get reserved(): number {
    return this.#mark.reserved;
  }

  /** Durable when it returns. */
  reserve(revision: number, durable: number): void {
    this.#mark = { ...this.#mark, reserved: revision, durable };
    this.#write();
  }

  /** The database is durable up to here. Costs a write into the system's memory. */
  note(durable: number): void {
    this.#mark = { ...this.#mark, durable };
    this.#noteDurable(durable);
  }

  close(): void {
    closeSync(this.#file);
  }

  #noteDurable(durable: number): void {
    this.#durable.writeDoubleLE(durable, 0);
    this.#durable.writeUInt32LE(crc32(this.#durable.subarray(0, 8)), 8);
    writeSync(this.#file, this.#durable, 0, DURABLE_BYTES, DURABLE_AT);
  }

  #write(): void {
    this.#sequence++;
    const { id, reserved, durable } = this.#mark;
    const words = [FORMAT, ...[this.#sequence, id, reserved, durable].map(String)];
    const line = [...words, checksumOf(words)].join(' ').padEnd(SLOT_BYTES - 1);
    writeSync(this.#file, `${line}\n`, (this.#sequence % 2) * SLOT_BYTES, 'latin1');
    fsyncSync(this.#file);
  }
}
