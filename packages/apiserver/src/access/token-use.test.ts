import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { createUseNotes } from './token-use.ts';

test('a use is noted once at a time, and again after a note failed', async () => {
  const calls: unknown[] = [];
  let answer: { resolve: (value: unknown) => void; reject: (error: unknown) => void } | undefined;
  const note = createUseNotes({
    log: silentLogger,
    loopback: {
      call: (call) => {
        calls.push(call);
        return new Promise((resolve, reject) => (answer = { resolve, reject }));
      },
    },
  });
  const secret = { metadata: { namespace: 'ns', name: 's', uid: 'u' } };
  note(secret, '2026-01-31');
  note(secret, '2026-01-31');
  assert.equal(calls.length, 1);
  answer?.reject(new Error('gone'));
  await new Promise((resolve) => setImmediate(resolve));
  note(secret, '2026-01-31');
  assert.equal(calls.length, 2);
  assert.deepEqual((calls[1] as { body: unknown }).body, {
    metadata: { uid: 'u', labels: { 'kubernetes.io/legacy-token-last-used': '2026-01-31' } },
  });
});
