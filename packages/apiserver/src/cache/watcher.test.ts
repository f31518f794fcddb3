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
  const figures = String((await ask('GET /metrics')).body['text']);
  assert.match(figures, /^apiserver_terminated_watchers_total\{group="",resource="configmaps"\} 1$/m);
});

test('what watches begin with is counted, and what was read from the store', async () => {
  const { answer, ask } = await startTestServer();
  const figures = async (): Promise<string[]> => {
    const lines = String((await ask('GET /metrics')).body['text']).split('\n');
    return lines.filter((line) => /^apiserver_(init_|storage_list_).*resource="configmaps"/.test(line));
  };
  for (const name of ['a', 'b']) await ask(`POST ${MAPS}`, { metadata: { name } });
  const read = (count: number) => [
    `apiserver_storage_list_evaluated_objects_total{group="",resource="configmaps"} ${count}`,
    `apiserver_storage_list_fetched_objects_total{group="",resource="configmaps"} ${count}`,
    `apiserver_storage_list_returned_objects_total{group="",resource="configmaps"} ${count}`,
    'apiserver_storage_list_total{group="",resource="configmaps"} 1',
  ];
  assert.deepEqual(await figures(), read(0));
  for (const query of [
    'resourceVersion=0',
    'resourceVersion=101',
    'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
  ]) {
    probe((await answer(`GET ${MAPS}?watch=true&${query}`)).reply);
  }
  await settled();
  assert.deepEqual(await figures(), ['apiserver_init_events_total{group="",resource="configmaps"} 3', ...read(0)]);
});

test('large objects are bounded in bytes, and what was cut off is let go', async () => {
  const { answer, ask, parts } = await startTestServer();
  const unread = probe((await answer(`GET ${MAPS}?watch=true`)).reply);
  const read = probe((await answer(`GET ${MAPS}?watch=true`)).reply);
  await settled();
  unread.ready = false;
  const large = 'x'.repeat(1_000_000);
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' }, data: { large } });
  let changes = 0;
  while (!unread.over && changes < 100) {
    changes++;
    const body = { metadata: { labels: { n: String(changes) } } };
    await ask(`PATCH ${MAPS}/a`, body, { 'content-type': 'application/merge-patch+json' });
    await settled();
  }
  assert.ok(unread.over && changes < 70, `${changes} changes of 1 MB`);
  assert.equal(unread.error?.status.reason, 'TooManyRequests');
  assert.deepEqual([read.over, read.items.length], [false, changes + 1]);
  assert.equal(parts.foundation.watchers.backlog.bytes, 0);
});

test('a backlog is handed over in pieces', async () => {
  const { answer, ask } = await startTestServer();
  const watch = probe((await answer(`GET ${MAPS}?watch=true`)).reply);
  await settled();
  watch.ready = false;
  const large = 'x'.repeat(600_000);
  for (let n = 0; n < 10; n++) await ask(`POST ${MAPS}`, { metadata: { name: `m${n}` }, data: { large } });
  await settled();
  watch.ready = true;
  const sizes: number[] = [];
  watch.onBatch = (batch) => sizes.push(batch.length);
  watch.open.resume();
  for (let turn = 0; turn < 10; turn++) await settled();
  assert.deepEqual(sizes, [2, 2, 2, 2, 2]);
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
