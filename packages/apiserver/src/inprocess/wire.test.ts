import { readText, StatusError } from '@binnacle/machinery';
import type { KubeObject, WatchEvent } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import { settled } from '../testing/watch-probe.ts';
import { createInProcessWire } from './wire.ts';

const MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const USER = { name: 'tester', groups: ['system:masters'] };

async function start() {
  const { server } = await startTestServer();
  const wire = server.clientAs(USER);
  const create = (name: string): Promise<unknown> =>
    wire.call({ verb: 'create', resource: MAPS, namespace: 'default', body: { metadata: { name } } });
  return { server, wire, create };
}

test("objects are the cache's own: shared by all callers and frozen", async () => {
  const { server, wire, create } = await start();
  await create('a');
  const get = { verb: 'get', resource: MAPS, namespace: 'default', name: 'a' } as const;
  const one = await wire.call(get);
  assert.equal(await server.clientAs({ name: 'other', groups: [] }).call(get), one);
  assert.ok(Object.isFrozen(one));
});

test('a failure is thrown as StatusError, for paths too', async () => {
  const { wire } = await start();
  const missing = wire.call({ verb: 'get', resource: MAPS, namespace: 'default', name: 'none' });
  await assert.rejects(missing, (error: unknown) => error instanceof StatusError && error.httpCode === 404);
  await assert.rejects(
    readText(wire, '/nowhere'),
    (error: unknown) => error instanceof StatusError && error.httpCode === 404,
  );
  assert.equal(await readText(wire, '/livez/ping'), 'ok');
  assert.match(await readText(wire, '/version'), /"gitVersion":"v1\.36/);
});

test('a watch brings batches, and ends exactly once', async () => {
  const { wire, create } = await start();
  const batches: WatchEvent[][] = [];
  let ends = 0;
  const sink = {
    events: (batch: readonly WatchEvent<KubeObject>[]) => void batches.push([...batch]),
    end: () => void ends++,
  };
  const handle = wire.watch({ resource: MAPS, namespace: 'default', query: { resourceVersion: '100' } }, sink);
  await settled();
  await Promise.all([create('a'), create('b'), create('c')]);
  await settled();
  assert.deepEqual(
    batches.flat().map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED a', 'ADDED b', 'ADDED c'],
  );
  assert.ok(batches.length < 3, 'what came in one turn came together');
  handle.stop();
  handle.stop();
  await create('d');
  await settled();
  assert.deepEqual([batches.flat().length, ends], [3, 1]);
});

test('a watch that is refused ends with the reason; closing the wire ends the others', async () => {
  const { wire } = await start();
  const refused = await new Promise<Error | undefined>((resolve) => {
    const query = { fieldSelector: 'nonsense=1' };
    wire.watch({ resource: MAPS, query }, { events: () => undefined, end: resolve });
  });
  assert.ok(refused instanceof StatusError && refused.httpCode === 400);
  const closed = new Promise<Error | undefined>((resolve) => {
    wire.watch({ resource: MAPS }, { events: () => undefined, end: resolve });
  });
  await settled();
  await wire.close();
  assert.equal(await closed, undefined);
});

test('the cause of a write is looked up by its revision, with whom it came from', async () => {
  const { wire } = await start();
  const parent = { id: 'p', component: 'replication-manager', request: 'reconcile default/a' };
  const body = { metadata: { name: 'a' } };
  const made = (await wire.call({
    verb: 'create',
    resource: MAPS,
    namespace: 'default',
    body,
    cause: parent,
  })) as KubeObject;
  const cause = JSON.parse(
    await readText(wire, `/binnacle/v1/causes?revision=${made.metadata.resourceVersion}`),
  ) as object;
  assert.deepEqual(
    { ...cause, id: '' },
    {
      id: '',
      component: 'tester',
      request: 'POST /api/v1/namespaces/default/configmaps',
      parent,
      revision: made.metadata.resourceVersion,
    },
  );
});

test('a stream that its caller gives up ends, though nothing comes', async () => {
  const { wire } = await start();
  const gone = new AbortController();
  const reply = await wire.raw({ path: '/apis/trace.binnacle.dev/v1/hops?watch=true', signal: gone.signal });
  const reading = (async () => {
    for await (const piece of reply.body) assert.ok(piece.length > 0);
    return 'over';
  })();
  gone.abort();
  assert.equal(await reading, 'over');
});

test('a call and a watch wait for their turns, so that thousands in a row do not keep the sockets waiting', async () => {
  const { server } = await start();
  const gate = Promise.withResolvers<void>();
  const asked: string[] = [];
  const answer = (request: Parameters<typeof server.handle>[0]) => {
    asked.push(request.path);
    return server.handle(request);
  };
  const wire = createInProcessWire({ pipeline: { answer, now: () => 0 }, turns: { take: () => gate.promise } }, USER);
  const list = wire.call({ verb: 'list', resource: MAPS, namespace: 'default' });
  wire.watch({ resource: MAPS, namespace: 'default' }, { events: () => undefined, end: () => undefined });
  await settled();
  assert.deepEqual(asked, []);
  gate.resolve();
  await list;
  await wire.close();
  assert.deepEqual(asked, ['/api/v1/namespaces/default/configmaps', '/api/v1/namespaces/default/configmaps']);
});
