import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Operation, RangeRequest, Store } from '../../ports.ts';
import type { StoreFactory } from './harness.ts';
import { bytes, describeEvent, Recorder, text } from './harness.ts';

/** The plainest store there is: a copy of everything for each revision. */
class NaiveModel {
  readonly #past = new Map<number, Map<string, ModelEntry>>();
  readonly log: string[] = [];
  #now = new Map<string, ModelEntry>();
  revision: number;

  constructor(revision: number) {
    this.revision = revision;
    this.#past.set(revision, new Map());
  }

  write(operations: readonly Operation[], base: number): void {
    const next = new Map(this.#now);
    const revision = this.revision + 1;
    const log: string[] = [];
    for (const op of operations) {
      if (op.type === 'put') {
        const old = next.get(op.key);
        const entry = { value: text(op.value) ?? '', version: (old?.version ?? 0) + 1, mod: revision };
        next.set(op.key, { ...entry, create: old?.create ?? revision });
        log.push(`+${op.key}=${entry.value}@${revision - base}${old === undefined ? '' : `(${old.value})`}`);
      } else if (op.type === 'delete') {
        for (const key of keysIn(next, op)) {
          log.push(`-${key}@${revision - base}(${next.get(key)?.value ?? ''})`);
          next.delete(key);
        }
      }
    }
    if (log.length === 0) return;
    this.log.push(...log);
    this.revision = revision;
    this.#now = next;
    this.#past.set(revision, next);
  }

  read(request: RangeRequest): { kvs: string[]; more: boolean; count: number } {
    const state = this.#past.get(request.revision ?? this.revision) ?? new Map<string, ModelEntry>();
    const keys = keysIn(state, request);
    const limit = request.limit ?? 0;
    const taken = limit > 0 ? keys.slice(0, limit) : keys;
    const kvs = taken.map((key) => {
      const e = state.get(key);
      return `${key}=${e?.value ?? ''} v${e?.version ?? 0} c${e?.create ?? 0} m${e?.mod ?? 0}`;
    });
    return { kvs, more: taken.length < keys.length, count: keys.length };
  }
}

interface ModelEntry {
  readonly value: string;
  readonly version: number;
  readonly create: number;
  readonly mod: number;
}

function keysIn(state: Map<string, ModelEntry>, span: { readonly key: string; readonly end?: string }): string[] {
  const { key, end } = span;
  return [...state.keys()]
    .filter((k) => (end === undefined ? k === key : k >= key && (end === '\0' || k < end)))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

const key = fc.integer({ min: 0, max: 60 }).map((n) => `k${String(n).padStart(2, '0')}`);
const span = fc.oneof(
  fc.record({ key }),
  fc.record({ key, end: key }),
  fc.constant({ key: '', end: '\0' }),
  key.map((k) => ({ key: k, end: '\0' })),
);
const putStep = fc.record({ key, value: fc.string({ maxLength: 4, unit: 'grapheme-ascii' }) });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(putStep, { minLength: 1, maxLength: 4 }).map((puts) => ({ do: 'put' as const, puts })),
  },
  { weight: 2, arbitrary: span.map((s) => ({ do: 'delete' as const, span: s })) },
  {
    weight: 3,
    arbitrary: fc
      .record({ span, limit: fc.integer({ min: 0, max: 9 }), back: fc.integer({ min: 0, max: 40 }) })
      .map((r) => ({ do: 'range' as const, ...r })),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Random histories: the store says at every revision what the naive model says, and tells watchers the same story. */
export function modelContract(factory: StoreFactory, seed: number): void {
  test('random histories against the naive model', { timeout: 120_000 }, async (t) => {
    t.diagnostic(`seed ${seed} (repeat it with the suite's option)`);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 80 }), async (steps) => {
        const { store, close } = await factory();
        try {
          await runSteps(store, steps);
        } finally {
          await close();
        }
      }),
      { seed, numRuns: 25 },
    );
  });
}

async function runSteps(store: Store, steps: readonly Step[]): Promise<void> {
  const base = (await store.range({ key: 'k' })).revision;
  const model = new NaiveModel(base);
  const sink = new Recorder();
  store.watch({ key: '', end: '\0', prevKv: true, startRevision: base + 1 }, sink);
  for (const s of steps) {
    if (s.do === 'range') {
      const revision = Math.max(base, model.revision - s.back);
      const request = { ...s.span, limit: s.limit, revision };
      await compareReads(store, model, request);
      continue;
    }
    const operations = s.do === 'put' ? uniquePuts(s.puts) : [{ type: 'delete' as const, ...s.span }];
    await store.txn({ compare: [], success: operations, failure: [] });
    model.write(operations, base);
  }
  await sink.heard(model.log.length, base);
  assert.deepEqual(
    sink.events_.map((e) => describeEvent(e, base)),
    model.log,
  );
  await compareReads(store, model, { key: '', end: '\0' });
}

async function compareReads(store: Store, model: NaiveModel, request: RangeRequest): Promise<void> {
  const result = await store.range(request);
  const kvs = result.kvs.map(
    (kv) => `${kv.key}=${text(kv.value)} v${kv.version} c${kv.createRevision} m${kv.modRevision}`,
  );
  assert.deepEqual({ kvs, more: result.more, count: result.count }, model.read(request), JSON.stringify(request));
  assert.equal(result.revision, model.revision);
}

function uniquePuts(puts: readonly { key: string; value: string }[]): Operation[] {
  const byKey = new Map(puts.map((p) => [p.key, p]));
  return [...byKey.values()].map((p) => ({ type: 'put', key: p.key, value: bytes(p.value) }));
}
