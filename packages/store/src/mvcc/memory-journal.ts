import { assert } from '@binnacle/base';
import type { Change } from './entry.ts';
import type { Journal, SnapshotSource } from './journal.ts';

const CHUNK_BYTES = 64 * 1024;

/** Writes nothing down: a batch is as durable as it gets at once. */
export class MemoryJournal implements Journal {
  readonly engine = 'memory';
  readonly version = '1';
  readonly keepsHistory = false;

  addChanges(): void {
    // Memory is all there is.
  }

  addLease(): void {
    // Memory is all there is.
  }

  schedule(seal: () => void): void {
    seal();
  }

  discard(): void {
    // Nothing is kept here before it is committed, nor after.
  }

  probe(): Promise<void> {
    return Promise.resolve();
  }

  commit(done: (error?: Error) => void): void {
    done();
  }

  readHistory(): Promise<readonly Change[]> {
    assert(false, 'memory is asked for no more than it keeps');
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  size(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** One line of JSON with the revision, then per entry a line of JSON and the bytes of its value. */
  async *snapshot(source: SnapshotSource): AsyncIterable<Uint8Array> {
    const encoder = new TextEncoder();
    let chunk: Uint8Array[] = [encoder.encode(`${JSON.stringify({ format: 'binnacle-memory-1', ...source })}\n`)];
    let bytes = 0;
    for (const { value, ...entry } of source.entries()) {
      chunk.push(encoder.encode(`${JSON.stringify({ ...entry, bytes: value.byteLength })}\n`), value);
      bytes += value.byteLength + 200;
      if (bytes < CHUNK_BYTES) continue;
      yield join(chunk);
      chunk = [];
      bytes = 0;
    }
    yield join(chunk);
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.byteLength;
  }
  return out;
}
