import { VirtualClock } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import assert from 'node:assert/strict';
import test from 'node:test';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { probe, settled } from '../testing/watch-probe.ts';
import type { WatchProbe } from '../testing/watch-probe.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };

async function watching(server: TestServer, line: string): Promise<WatchProbe> {
  const { reply } = await server.answer(`GET ${line}`);
  const opened = probe(reply);
  await settled();
  return opened;
}

/** Maps a (101) and b (102). */
async function withTwo(): Promise<TestServer> {
  const server = await startTestServer();
  await server.ask(`POST ${MAPS}`, { metadata: { name: 'a', labels: { app: 'x' } } });
  await server.ask(`POST ${MAPS}`, { metadata: { name: 'b' } });
  return server;
}

async function changes({ ask }: TestServer): Promise<void> {
  await ask(`POST ${MAPS}`, { metadata: { name: 'c' } });
  await ask(`PATCH ${MAPS}/a`, { data: { k: 'v' } }, MERGE);
  await ask(`DELETE ${MAPS}/b`);
  await settled();
}

const LIVE = ['ADDED c 103', 'MODIFIED a 104', 'DELETED b 105'];
const STARTS: readonly [name: string, query: string, initial: readonly string[]][] = [
  ['without a resourceVersion: what is there, then changes', 'watch=true', ['ADDED a 101', 'ADDED b 102']],
  ['from 0: the same', 'watch=1&resourceVersion=0', ['ADDED a 101', 'ADDED b 102']],
  ['from a revision: what came after it', 'watch=true&resourceVersion=101', ['ADDED b 102']],
  ['from now', 'watch=true&resourceVersion=102', []],
  [
    'a list as a stream, with its closing bookmark',
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    ['ADDED a 101', 'ADDED b 102', 'BOOKMARK 102 end'],
  ],
  ['a list as a stream, unwanted', 'watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', []],
];

for (const [name, query, initial] of STARTS) {
  test(`starts ${name}`, async () => {
    const server = await withTwo();
    const watch = await watching(server, `${MAPS}?${query}`);
    assert.deepEqual(watch.seen, initial);
    await changes(server);
    assert.deepEqual(watch.seen, [...initial, ...LIVE]);
    watch.open.stop();
    await server.ask(`POST ${MAPS}`, { metadata: { name: 'late' } });
    await settled();
    assert.equal(watch.seen.length, initial.length + LIVE.length, 'nothing after it was stopped');
    assert.equal(server.parts.foundation.watchers.count, 0);
  });
}

test('an object that comes to match is ADDED, one that ceases to match is DELETED as it was', async () => {
  const server = await withTwo();
  const watch = await watching(server, `${MAPS}?watch=true&labelSelector=app%3Dx`);
  await server.ask(`PATCH ${MAPS}/b`, { metadata: { labels: { app: 'x' } } }, MERGE);
  await server.ask(`PATCH ${MAPS}/a`, { metadata: { labels: { app: 'y' } } }, MERGE);
  await settled();
  assert.deepEqual(watch.seen, ['ADDED a 101', 'ADDED b 103', 'DELETED a 104']);
  const last = watch.items.at(-1);
  assert.ok(last !== undefined && last.type !== 'BOOKMARK');
  assert.deepEqual(last.entry.object.metadata.labels, { app: 'x' });
});

const NARROWED: readonly [name: string, line: string, seen: readonly string[]][] = [
  ['by name', `${PODS_PATH}?watch=true&fieldSelector=metadata.name%3Dp1`, ['ADDED p1 101', 'DELETED p1 104']],
  ['by node', '/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn2', ['ADDED p2 102', 'ADDED p3 103']],
  ['one object, the old way', '/api/v1/watch/namespaces/default/pods/p1', ['ADDED p1 101', 'DELETED p1 104']],
  ['another namespace', '/api/v1/namespaces/other/pods?watch=true', []],
];

for (const [name, line, seen] of NARROWED) {
  test(`narrowed ${name}`, async () => {
    const server = await startTestServer();
    await server.ask(`POST ${PODS_PATH}`, podNamed('p1'));
    await server.ask(`POST ${PODS_PATH}`, podNamed('p2', { spec: { nodeName: 'n2' } }));
    const watch = await watching(server, line);
    await server.ask(`POST ${PODS_PATH}`, podNamed('p3', { spec: { nodeName: 'n2' } }));
    await server.ask(`DELETE ${PODS_PATH}/p1`);
    await settled();
    assert.deepEqual(watch.seen, seen);
  });
}

test('resumes from the history of the store when the ring does not reach back', async () => {
  const first = await withTwo();
  await changes(first);
  const server = await startTestServer({ store: first.store });
  const watch = await watching(server, `${MAPS}?watch=true&resourceVersion=101`);
  assert.deepEqual(watch.seen, ['ADDED b 102', ...LIVE]);
  await server.ask(`POST ${MAPS}`, { metadata: { name: 'd' } });
  await settled();
  assert.deepEqual(watch.seen.at(-1), 'ADDED d 106');
});

test('a revision that is compacted away is an ERROR event with 410', async () => {
  const store = createMemoryStore({ clock: new VirtualClock(), startRevision: 100 });
  const server = await startTestServer({ store });
  const watch = await watching(server, `${MAPS}?watch=true&resourceVersion=7`);
  assert.ok(watch.over);
  assert.deepEqual([watch.error?.httpCode, watch.error?.status.reason], [410, 'Expired']);
  assert.match(watch.error?.message ?? '', /^too old resource version: 7 \(100\)$/);
});

const REFUSED: readonly [name: string, query: string, code: number, message: RegExp][] = [
  [
    'initial events without a match',
    'sendInitialEvents=true',
    422,
    /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
  ],
  [
    'a match without initial events',
    'resourceVersionMatch=NotOlderThan&resourceVersion=1',
    422,
    /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/,
  ],
  ['a resourceVersion that is none', 'resourceVersion=abc', 500, /^resourceVersion: Invalid value: "abc": strconv/],
  [
    'a field that nobody selects by',
    'fieldSelector=spec.foo%3Dx',
    400,
    /"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"/,
  ],
];

for (const [name, query, code, message] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const { ask } = await startTestServer();
    const reply = await ask(`GET ${MAPS}?watch=true&${query}`);
    assert.equal(reply.code, code);
    assert.match(String(reply.body['message']), message);
  });
}
