import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { NodeConnector, NodeRequest } from '../../ports/nodes.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { usageBetween } from './readings.ts';
import { UsageReader } from './usage-reader.ts';

/** Nodes that use one CPU each, and count how often they are asked. */
function bench(names: readonly string[]) {
  const clock = new VirtualClock();
  const there = new Set(names);
  const asked: string[] = [];
  let most = 0;
  let now = 0;
  const connector = {
    get: async ({ nodeName }: NodeRequest) => {
      asked.push(nodeName);
      most = Math.max(most, ++now);
      await Promise.resolve();
      now--;
      if (nodeName === 'dead') throw new Error('no route to host');
      const text = `node_cpu_usage_seconds_total ${clock.now() / 1000} ${clock.now()}\nnode_memory_working_set_bytes 5 1\n`;
      return { status: nodeName === 'odd' ? 500 : 200, body: [new TextEncoder().encode(text)] };
    },
  } as unknown as NodeConnector;
  const node = { metadata: {}, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } };
  const cache = {
    get: (_info: unknown, _namespace: string, name: string) =>
      there.has(name) ? (node as unknown as KubeObject) : undefined,
  } as unknown as CacheReader;
  const reader = new UsageReader({ nodes: connector, cache, clock, log: silentLogger });
  const read = async (ms = 2_000): Promise<{ readonly [node: string]: number | undefined }> => {
    const answer = reader.read(names);
    for (let at = 0; at < ms; at += 500) await clock.advance(500);
    const cpu = [...(await answer)].map(([name, { before, after }]) => [
      name,
      usageBetween(before.node, after.node)?.cpuNanoCores,
    ]);
    return Object.fromEntries(cpu) as { [node: string]: number };
  };
  return { read, asked, clock, there, most: () => most };
}

test('the first to ask waits a second, those after him are answered from what is known, then one more is asked', async () => {
  const t = bench(['a']);
  assert.deepEqual(await t.read(), { a: 1e9 });
  assert.equal(t.asked.length, 2);
  assert.deepEqual(await t.read(), { a: 1e9 });
  assert.equal(t.asked.length, 2);
  await t.clock.advance(20_000);
  assert.deepEqual(await t.read(0), { a: 1e9 });
  assert.equal(t.asked.length, 3);
  await t.clock.advance(70_000);
  await t.read();
  assert.equal(t.asked.length, 5, 'what is old is no beginning');
});

test('a node that does not answer has no figures, the others have theirs', async () => {
  const t = bench(['a', 'dead', 'odd']);
  assert.deepEqual(await t.read(), { a: 1e9 });
});

test('many are asked at once, but not all; a node that has gone is forgotten', async () => {
  const t = bench(Array.from({ length: 100 }, (_, i) => `node-${i}`));
  assert.equal(Object.keys(await t.read()).length, 100);
  assert.ok(t.most() <= 32, String(t.most()));
  t.there.clear();
  assert.deepEqual(await t.read(), {});
});

test('who asks at the same time shares the answer', async () => {
  const t = bench(['a']);
  const [one, other] = await Promise.all([t.read(), t.read()]);
  assert.deepEqual(one, other);
  assert.equal(t.asked.length, 2);
});
