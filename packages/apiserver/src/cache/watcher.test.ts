import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import { probe, settled } from '../testing/watch-probe.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

test('bookmarks about every minute for those who want them, and one when the time is over', async () => {
  const { answer, ask, clock } = await startTestServer();
  await ask('POST /api/v1/namespaces/default/secrets', { metadata: { name: 'first' } });
  const timers = clock.pending;
  const { reply } = await answer(`GET ${MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=100`);
  const watch = probe(reply);
  const plain = probe((await answer(`GET ${MAPS}?watch=true&timeoutSeconds=100`)).reply);
  await ask('POST /api/v1/namespaces/default/secrets', { metadata: { name: 'elsewhere' } });
  await clock.advance(61_000);
  assert.deepEqual(watch.seen, ['BOOKMARK 102'], 'the revision of the whole store, though nothing changed here');
  assert.equal(watch.over, false);
  await clock.advance(40_000);
  assert.deepEqual(watch.seen, ['BOOKMARK 102', 'BOOKMARK 102']);
  assert.deepEqual([watch.over, watch.error], [true, undefined]);
  assert.deepEqual([plain.seen, plain.over], [[], true]);
  assert.equal(clock.pending, timers, 'no timer is left behind');
});

test('hands over nothing while the output takes nothing, and everything once it does', async () => {
  const { answer, ask } = await startTestServer();
  const watch = probe((await answer(`GET ${MAPS}?watch=true`)).reply);
  await settled();
  watch.ready = false;
  for (const name of ['a', 'b', 'c']) await ask(`POST ${MAPS}`, { metadata: { name } });
  await settled();
  assert.deepEqual(watch.seen, []);
  watch.ready = true;
  watch.open.resume();
  await settled();
  assert.deepEqual(watch.seen, ['ADDED a 101', 'ADDED b 102', 'ADDED c 103']);
});

test('one that cannot keep up is cut off with a clear error', async () => {
  const { answer, ask } = await startTestServer();
  const watch = probe((await answer(`GET ${MAPS}?watch=true`)).reply);
  await settled();
  watch.ready = false;
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' }, data: { n: '0' } });
  for (let n = 1; n <= 16_400 && !watch.over; n++) {
    await ask(`PATCH ${MAPS}/a`, { data: { n: String(n) } }, { 'content-type': 'application/merge-patch+json' });
  }
  assert.ok(watch.over);
  assert.equal(watch.error?.status.reason, 'TooManyRequests');
});

test('an event is one object for all watchers', async () => {
  const { answer, ask } = await startTestServer();
  const one = probe((await answer(`GET ${MAPS}?watch=true`)).reply);
  const two = probe((await answer('GET /api/v1/configmaps?watch=true')).reply);
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  await settled();
  const [first] = one.items;
  const [second] = two.items;
  assert.ok(first?.type === 'ADDED' && second?.type === 'ADDED');
  assert.equal(first.event, second.event);
  assert.equal(first.entry.object, second.entry.object);
});
