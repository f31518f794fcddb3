import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { judgeToken } from './judge-token.ts';

const DAY_MS = 86_400_000;
const nowMs = Date.UTC(2026, 6, 1);

for (const [name, age, labels, expected] of [
  ['young', 5, {}, 'keep'],
  ['never used', 20, {}, 'invalidate'],
  ['used long ago', 99, { 'kubernetes.io/legacy-token-last-used': '2026-05-01' }, 'invalidate'],
  ['used lately', 99, { 'kubernetes.io/legacy-token-last-used': '2026-06-25' }, 'keep'],
  ['used on the last day that counts', 99, { 'kubernetes.io/legacy-token-last-used': '2026-06-21' }, 'keep'],
  ['used when nobody knows', 99, { 'kubernetes.io/legacy-token-last-used': 'soon' }, 'keep'],
  ['not believed since lately', 99, { 'kubernetes.io/legacy-token-invalid-since': '2026-06-25' }, 'keep'],
  ['not believed since long ago', 99, { 'kubernetes.io/legacy-token-invalid-since': '2026-06-01' }, 'delete'],
  ['not believed since nonsense', 99, { 'kubernetes.io/legacy-token-invalid-since': '2026-13-01' }, 'invalidate'],
  [
    'not believed since a day that none is',
    99,
    { 'kubernetes.io/legacy-token-invalid-since': '2026-02-30' },
    'invalidate',
  ],
] as const) {
  test(`a token of an older cluster: ${name}`, () => {
    const creationTimestamp = new Date(nowMs - age * DAY_MS).toISOString();
    assert.equal(judgeToken({ metadata: { creationTimestamp, labels } }, { nowMs, unusedMs: 10 * DAY_MS }), expected);
  });
}
