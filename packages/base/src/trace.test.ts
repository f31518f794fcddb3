import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailOf, silentTrace } from './trace.ts';

test('a detail is what it is, or what it is made of when somebody asks', () => {
  let asked = 0;
  const lazy = (): { readonly node: string } => ({ node: `n${++asked}` });
  assert.deepEqual(detailOf({ detail: { a: 1 } }), { a: 1 });
  assert.equal(detailOf({}), undefined);
  assert.equal(asked, 0);
  assert.deepEqual(detailOf({ detail: lazy }), { node: 'n1' });
});

test('nobody listens: nothing is recorded, nothing is thrown', () => {
  assert.equal(silentTrace.on, false);
  silentTrace.record({ kind: 'event', component: 'c', name: 'n', startedAt: 0, durationMs: 0 });
});
