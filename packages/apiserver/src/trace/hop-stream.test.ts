import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceHop } from '@binnacle/trace';
import { bodyOf } from '../inprocess/raw-reply.ts';
import { podNamed } from '../testing/test-server.ts';
import { ROOT, startTraced as start } from '../testing/traced-server.ts';

const PODS = '/api/v1/namespaces/default/pods';

test('a stream shows what is there, then what happens, and ends with the server', async () => {
  const cluster = await start();
  const reply = await cluster.send(`GET ${ROOT}/namespaces/default/hops?watch=true&about=pods/later`);
  assert.ok(reply.kind === 'stream');
  const lines: { type: string; object: TraceHop }[] = [];
  const read = async (until: () => boolean): Promise<void> => {
    for await (const piece of pieces) {
      for (const line of new TextDecoder().decode(piece).trim().split('\n')) lines.push(JSON.parse(line));
      if (until()) return;
    }
  };
  const source = bodyOf(reply)[Symbol.asyncIterator]();
  const pieces = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
  await read(() => true);
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['BOOKMARK'],
    'nothing is there yet',
  );
  await cluster.send(`POST ${PODS}`, { body: podNamed('later') });
  const reading = read(() => lines.length > 2);
  await cluster.test.clock.advance(400);
  await reading;
  const types = lines.slice(1).map(({ type, object }) => (type === 'BOOKMARK' ? type : object.type));
  assert.deepEqual(types, ['request', 'authorization', 'admission', 'admission', 'admission', 'commit', 'BOOKMARK']);
  const over = source.next();
  await cluster.test.server.close();
  assert.equal((await over).done, true);
});

test('a stream of everything tells each hop once, however often it looks, and those too that were not settled', async () => {
  const cluster = await start();
  const reply = await cluster.send(`GET ${ROOT}/hops?watch=true&type=commit`);
  assert.ok(reply.kind === 'stream');
  const told: string[] = [];
  const pods: string[] = [];
  const source = bodyOf(reply)[Symbol.asyncIterator]();
  const read = async (until: () => boolean): Promise<void> => {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      for (const line of new TextDecoder().decode(next.value).trim().split('\n')) {
        const { type, object } = JSON.parse(line) as { type: string; object: TraceHop };
        if (type !== 'ADDED') continue;
        told.push(object.metadata.name);
        if (object.object?.resource === 'pods') pods.push(object.object.name);
      }
      if (until()) return;
    }
  };
  await read(() => true);
  const names = Array.from({ length: 6 }, (_, at) => `p${at}`);
  const reading = read(() => pods.length === names.length);
  for (const name of names) {
    await cluster.send(`POST ${PODS}`, { body: podNamed(name) });
    await cluster.test.clock.advance(70);
  }
  await cluster.test.clock.advance(400);
  await reading;
  assert.deepEqual(pods, names);
  assert.equal(new Set(told).size, told.length);
  await cluster.test.server.close();
});
