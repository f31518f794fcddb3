import { assert } from '@binnacle/base';
import type {
  Compare,
  Key,
  KeyValue,
  Operation,
  OperationResult,
  RangeRequest,
  RangeResult,
  StoreEvent,
} from '../ports.ts';
import { prefixEnd } from '../ports.ts';
import type { WireKeyValue, WireOperationResult, WireRange, WireWatch } from './wire.ts';
import { toNumber } from './wire.ts';

const COMPARE_RESULT = { equal: 0, greater: 1, less: 2, notEqual: 3 } as const;
const COMPARE_TARGET = { version: 0, createRevision: 1, modRevision: 2, value: 3, lease: 4 } as const;
const COMPARE_FIELD = {
  version: 'version',
  createRevision: 'create_revision',
  modRevision: 'mod_revision',
  lease: 'lease',
} as const;
const DELETE = 1;
const NOTHING = new Uint8Array(0);

/** Between the port and etcd's messages; all keys lie under the prefix. */
export class Translation {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  key(key: Key): Buffer {
    return Buffer.from(this.#prefix + key, 'latin1');
  }

  bareKey(bytes: Uint8Array): Key {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    return key.slice(this.#prefix.length);
  }

  /** etcd wants at least one byte where everything from the start on is meant. */
  span(key: Key, end: Key | undefined): { readonly key: Buffer; readonly range_end?: Buffer } {
    if (end === undefined) return { key: this.key(key) };
    const from = this.#prefix + key;
    const to = end === '\0' ? prefixEnd(this.#prefix) : this.#prefix + end;
    return { key: Buffer.from(from === '' ? '\0' : from, 'latin1'), range_end: Buffer.from(to, 'latin1') };
  }

  range(request: RangeRequest): object {
    return {
      ...this.span(request.key, request.end),
      limit: request.limit ?? 0,
      revision: request.revision ?? 0,
      keys_only: request.keysOnly ?? false,
      count_only: request.countOnly ?? false,
    };
  }

  compare(compare: Compare): object {
    const shared = {
      key: this.key(compare.key),
      result: COMPARE_RESULT[compare.result],
      target: COMPARE_TARGET[compare.target],
    };
    if (compare.target === 'value') return { ...shared, value: compare.value };
    return { ...shared, [COMPARE_FIELD[compare.target]]: compare.value };
  }

  operation(op: Operation): object {
    switch (op.type) {
      case 'put':
        return {
          request_put: { key: this.key(op.key), value: op.value, lease: op.lease ?? 0, prev_kv: op.prevKv ?? false },
        };
      case 'delete':
        return { request_delete_range: { ...this.span(op.key, op.end), prev_kv: op.prevKv ?? false } };
      case 'range':
        return { request_range: this.range(op) };
    }
  }

  /** Values are copied out, so that none keeps the whole message alive. Absent bytes are an empty array, not bytes. */
  keyValue(kv: WireKeyValue): KeyValue {
    return {
      key: this.bareKey(kv.key instanceof Uint8Array ? kv.key : NOTHING),
      value: kv.value instanceof Uint8Array ? Uint8Array.prototype.slice.call(kv.value) : NOTHING,
      createRevision: toNumber(kv.create_revision),
      modRevision: toNumber(kv.mod_revision),
      version: toNumber(kv.version),
      lease: toNumber(kv.lease),
    };
  }

  rangeResult(range: WireRange): RangeResult {
    return {
      revision: toNumber(range.header?.revision),
      kvs: (range.kvs ?? []).map((kv) => this.keyValue(kv)),
      more: range.more ?? false,
      count: toNumber(range.count),
    };
  }

  operationResult(result: WireOperationResult): OperationResult {
    if (isThere(result.response_range)) return { type: 'range', ...this.rangeResult(result.response_range) };
    if (isThere(result.response_put)) {
      const previous = result.response_put.prev_kv;
      return isThere(previous) ? { type: 'put', prevKv: this.keyValue(previous) } : { type: 'put' };
    }
    const deletion = result.response_delete_range;
    assert(isThere(deletion), 'etcd answers each operation with its kind');
    const prevKvs = (deletion.prev_kvs ?? []).map((kv) => this.keyValue(kv));
    return { type: 'delete', deleted: toNumber(deletion.deleted), prevKvs };
  }

  events(response: WireWatch): StoreEvent[] {
    return (response.events ?? []).map((event) => {
      const kv = this.keyValue(event.kv ?? {});
      const type = event.type === DELETE ? 'delete' : 'put';
      return isThere(event.prev_kv) ? { type, kv, prevKv: this.keyValue(event.prev_kv) } : { type, kv };
    });
  }
}

function isThere<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
