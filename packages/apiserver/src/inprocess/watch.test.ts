import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';
import { settled } from '../testing/watch-probe.ts';
import { openInProcess } from './watch.ts';

test('of a watch that another server answers nothing is told once it is stopped, not even what waited for its turn', async () => {
  const lines = ['a', 'b', 'c'].map((name) => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(lines.join(''));
  }
  const reply: StreamReply = {
    kind: 'stream',
    code: 200,
    contentType: 'application/json',
    body: body(),
    cancel: () => undefined,
  };
  const told: string[] = [];
  const later = Promise.withResolvers<void>();
  let turns = 0;
  const handle = openInProcess<KubeObject>(
    { ask: async () => reply, turn: () => (++turns === 2 ? later.promise : undefined) },
    {
      events: (batch) => void told.push(...batch.map(({ object }) => object.metadata.name ?? '')),
      end: () => void told.push('end'),
    },
  );
  await settled();
  assert.deepEqual(told, ['a']);
  handle.stop();
  later.resolve();
  await settled();
  assert.deepEqual(told, ['a', 'end']);
});
