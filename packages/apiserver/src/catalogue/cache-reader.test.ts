import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

const LIMIT_RANGES = { group: '', resource: 'limitranges' };

test('a list of few is the same one until something changes, and never of what was before', async () => {
  const { ask, parts } = await startTestServer();
  const { caches } = parts.foundation;
  const names = (namespace?: string): string[] =>
    caches.list(LIMIT_RANGES, namespace).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const post = (namespace: string, name: string): Promise<unknown> =>
    ask(`POST /api/v1/namespaces/${namespace}/limitranges`, { metadata: { name }, spec: { limits: [] } });
  assert.deepEqual(names(), []);
  await post('a', 'x');
  await post('b', 'y');
  const [all, ofA] = [caches.list(LIMIT_RANGES), caches.list(LIMIT_RANGES, 'a')];
  assert.deepEqual([names(), names('a'), names('c')], [['a/x', 'b/y'], ['a/x'], []]);
  assert.equal(caches.list(LIMIT_RANGES), all);
  assert.equal(caches.list(LIMIT_RANGES, 'a'), ofA);
  const heard: number[] = [];
  const stop = caches.follow(LIMIT_RANGES, () => heard.push(caches.list(LIMIT_RANGES).length));
  await post('a', 'z');
  await ask('DELETE /api/v1/namespaces/a/limitranges/x');
  stop();
  // Whoever follows and looks sees what it is told of already.
  assert.deepEqual(heard, [2, 2, 3, 2]);
  assert.deepEqual([names(), names('a')], [['a/z', 'b/y'], ['a/z']]);
});

test('lists of many are made each time, of as many namespaces as there are', async () => {
  const { ask, parts } = await startTestServer();
  const { caches } = parts.foundation;
  for (let n = 0; n < 70; n++) {
    await ask(`POST /api/v1/namespaces/n${n}/limitranges`, { metadata: { name: 'x' }, spec: { limits: [] } });
    for (let m = 0; m <= n; m++) assert.equal(caches.list(LIMIT_RANGES, `n${m}`).length, 1);
    assert.equal(caches.list(LIMIT_RANGES).length, n + 1);
  }
});

test('while a resource is read again after lost events, what was known of it is known', async () => {
  const { ask, parts } = await startTestServer();
  const { caches, catalogue } = parts.foundation;
  await ask('POST /api/v1/namespaces/a/limitranges', { metadata: { name: 'x' }, spec: { limits: [] } });
  const reading = catalogue.stored(LIMIT_RANGES)?.cache.reload();
  assert.equal(caches.list(LIMIT_RANGES, 'a').length, 1);
  assert.equal(caches.get(LIMIT_RANGES, 'a', 'x')?.metadata.name, 'x');
  await reading;
  assert.equal(caches.list(LIMIT_RANGES, 'a').length, 1);
});
