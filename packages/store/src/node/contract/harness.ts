import type { Operation, OperationResult, RangeResult, Store, StoreEvent, TxnResult, WatchSink } from '../../ports.ts';
import { assert } from '@binnacle/base';

/** One store under test, empty of keys, and the power over its time. */
export interface StoreHarness {
  readonly store: Store;
  /** Lets the store's time pass. */
  readonly passSeconds: (seconds: number) => Promise<void>;
  /** Makes the store run out of room, and gives it some again; absent where that cannot be done quickly. */
  readonly room?: { readonly fill: () => Promise<void>; readonly free: () => Promise<void> };
  /** Closes the store and whatever stands behind it. */
  readonly close: () => Promise<void>;
}

/** Makes an empty store; called once per test. */
export type StoreFactory = () => Promise<StoreHarness>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

export function text(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : decoder.decode(value);
}

export function putOp(key: string, value: string, more: { lease?: number; prevKv?: boolean } = {}): Operation {
  return { type: 'put', key, value: bytes(value), ...more };
}

export function write(store: Store, ...operations: Operation[]): Promise<TxnResult> {
  return store.txn({ compare: [], success: operations, failure: [] });
}

/** Puts one key, answers with the revision. */
export async function put(store: Store, key: string, value: string): Promise<number> {
  return putHeld(store, putOp(key, value));
}

/** Puts one key with all that a put can have, answers with the revision. */
export async function putHeld(store: Store, operation: Operation): Promise<number> {
  return (await write(store, operation)).revision;
}

/** Deletes one key, answers with the revision. */
export async function remove(store: Store, key: string): Promise<number> {
  return (await write(store, { type: 'delete', key })).revision;
}

export async function readText(store: Store, key: string, revision = 0): Promise<string | undefined> {
  return text((await store.range({ key, revision })).kvs[0]?.value);
}

export function show(result: RangeResult): string {
  return result.kvs.map((kv) => `${kv.key}=${text(kv.value) ?? ''}`).join(' ');
}

export function resultAs<T extends OperationResult['type']>(
  result: TxnResult,
  index: number,
  type: T,
): OperationResult & { readonly type: T } {
  const found = result.results[index];
  assert(found?.type === type, 'result has the type of its operation', { index, type });
  return found as OperationResult & { readonly type: T };
}

/** `+key=value@rev` or `-key@rev`, the revision counted from `base`; with `(old)` where the previous value is told. */
export function describeEvent(event: StoreEvent, base: number): string {
  const at = event.kv.modRevision - base;
  const old = event.prevKv === undefined ? '' : `(${text(event.prevKv.value) ?? ''})`;
  return event.type === 'put'
    ? `+${event.kv.key}=${text(event.kv.value) ?? ''}@${at}${old}`
    : `-${event.kv.key}@${at}${old}`;
}

/** A sink that keeps what it hears, and lets a test wait for it without looking at a clock. */
export class Recorder implements WatchSink {
  readonly calls: StoreEvent[][] = [];
  readonly events_: StoreEvent[] = [];
  readonly progressed: number[] = [];
  createdAt: number | undefined;
  ends: (Error | undefined)[] = [];
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  created(revision: number): void {
    this.createdAt = revision;
    this.#wake();
  }

  events(events: readonly StoreEvent[], revision: number): void {
    const last = events.at(-1);
    assert(last !== undefined, 'no call without events');
    assert(revision >= last.kv.modRevision, 'the revision told is not behind the events');
    this.calls.push([...events]);
    this.events_.push(...events);
    this.#wake();
  }

  progress(revision: number): void {
    this.progressed.push(revision);
    this.#wake();
  }

  end(error?: Error): void {
    this.ends.push(error);
    this.#wake();
  }

  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  isCreated(): Promise<void> {
    return this.until(() => this.createdAt !== undefined);
  }

  async heard(count: number, base: number): Promise<string[]> {
    await this.until(() => this.events_.length >= count);
    return this.events_.map((e) => describeEvent(e, base));
  }

  async ended(): Promise<Error | undefined> {
    await this.until(() => this.ends.length > 0);
    return this.ends[0];
  }

  #wake(): void {
    const ready = this.#waiting.filter((w) => w.isMet());
    this.#waiting = this.#waiting.filter((w) => !ready.includes(w));
    for (const w of ready) w.resolve();
  }
}
