/** Extenders over real sockets, asked by a whole scheduler. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { EVENTS, NODES, PODS } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger } from '@binnacle/base';
import { createHttpCaller, realClock } from '@binnacle/base/node';
import type { Pod } from '@binnacle/api/core/v1';
import { createClient, createInformer } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import { startScheduler } from '../scheduler.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { createHttpExtender } from './http-extender.ts';
import type { ExtenderConfig } from './http-extender.ts';

type Answer = (path: string, body: Record<string, unknown>) => unknown;

interface World {
  readonly wire: NetworkedServer<MemoryApi>;
  readonly asked: [path: string, body: Record<string, unknown>][];
  /** Resolves when the pod has a node, or an event about it. */
  readonly settled: (pod: string) => Promise<string>;
}

async function withExtender(
  config: Partial<ExtenderConfig>,
  answer: Answer,
  check: (world: World) => Promise<void>,
): Promise<void> {
  const asked: World['asked'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      const path = request.url ?? '';
      asked.push([path, body]);
      const reply = answer(path, body);
      response.writeHead(reply === undefined ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply ?? {}));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const scope = new Scope('test');
  const random = createSeededRandom(1);
  const wire = overFaultyNetwork(createMemoryApi({ clock: realClock, random }), realClock);
  const http = createHttpCaller();
  const extender = createHttpExtender(
    {
      urlPrefix: `http://127.0.0.1:${port}/s`,
      weight: 1,
      timeoutMs: 5_000,
      nodeCacheCapable: true,
      managedResources: [],
      ignorable: false,
      ...config,
    },
    http,
  );
  for (const name of ['a', 'b', 'c']) wire.seed(NODES, makeNode(name));
  startScheduler({
    client: createClient(wire.connect()),
    world: { clock: realClock, random, log: silentLogger },
    scope,
    extenders: [extender],
  });
  const settled = async (pod: string): Promise<string> => {
    const found = Promise.withResolvers<string>();
    const late = realClock.after(5_000, () => found.reject(new Error(`${pod} was not settled`)));
    const client = createClient(wire.connect());
    const world = { clock: realClock, random, log: silentLogger };
    const look = new Scope('look');
    const pods = createInformer(client, PODS, world);
    const events = createInformer(client, EVENTS, world);
    const podSeen = ({ metadata, spec }: Pod): void => {
      if (metadata.name === pod && spec.nodeName !== undefined) found.resolve(spec.nodeName);
    };
    pods.subscribe({ add: podSeen, update: (_, after) => podSeen(after) });
    events.subscribe({
      add: ({ involvedObject, type, message }) => {
        if (involvedObject.name === pod && type === 'Warning') found.resolve(message ?? '');
      },
    });
    pods.start(look);
    events.start(look);
    try {
      return await found.promise;
    } finally {
      late.cancel();
      await look.close();
    }
  };
  try {
    await check({ wire, asked, settled });
  } finally {
    await scope.close();
    await wire.close();
    await http.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }
}

test('it leaves some nodes, and prefers one of them', () =>
  withExtender(
    { filterVerb: 'filter', prioritizeVerb: 'prioritize', weight: 10 },
    (path) =>
      path === '/s/filter'
        ? { NodeNames: ['b', 'c'], FailedNodes: { a: 'too loud' }, Error: '' }
        : [
            { Host: 'b', Score: 1 },
            { Host: 'c', Score: 10 },
          ],
    async ({ wire, asked, settled }) => {
      wire.seed(PODS, makePod('p'));
      assert.equal(await settled('p'), 'c');
      assert.deepEqual(asked[0]?.[1]['NodeNames'], ['a', 'b', 'c']);
      assert.deepEqual(asked[1]?.[1]['NodeNames'], ['b', 'c']);
    },
  ));

test('whole nodes go to one that keeps none; its reasons reach the user', () =>
  withExtender(
    { filterVerb: 'filter', nodeCacheCapable: false },
    () => ({
      Nodes: { items: [] },
      FailedNodes: { a: 'too loud', b: 'too loud' },
      FailedAndUnresolvableNodes: { c: 'gone' },
    }),
    async ({ wire, asked, settled }) => {
      wire.seed(PODS, makePod('p'));
      assert.match(await settled('p'), /^0\/3 nodes are available: 1 gone, 2 too loud\. /);
      const [, body = {}] = asked[0] ?? [];
      const { items } = body['Nodes'] as { items: { metadata: { name: string } }[] };
      assert.deepEqual(
        items.map((n) => n.metadata.name),
        ['a', 'b', 'c'],
      );
    },
  ));

test('it binds in the place of the scheduler', () =>
  withExtender(
    { bindVerb: 'bind' },
    () => ({ Error: 'not today' }),
    async ({ wire, asked, settled }) => {
      wire.seed(PODS, makePod('p'));
      assert.match(await settled('p'), /not today/);
      assert.deepEqual(asked[0]?.[1]['PodUID'], 'pod-p');
    },
  ));

test('one that fails stops the pod, unless it may be ignored', async () => {
  await withExtender(
    { filterVerb: 'filter' },
    () => undefined,
    async ({ wire, settled }) => {
      wire.seed(PODS, makePod('p'));
      assert.match(await settled('p'), /answered filter with code 500/);
    },
  );
  await withExtender(
    { filterVerb: 'filter', ignorable: true },
    () => undefined,
    async ({ wire, settled }) => {
      wire.seed(PODS, makePod('p'));
      assert.match(await settled('p'), /^[abc]$/);
    },
  );
});

test('it is asked only about pods with what it manages, in their requests or limits', () =>
  withExtender(
    { filterVerb: 'filter', managedResources: [{ name: 'example.com/gpu' }] },
    () => ({ NodeNames: [] }),
    async ({ wire, asked, settled }) => {
      wire.seed(PODS, makePod('plain'));
      assert.match(await settled('plain'), /^[abc]$/);
      assert.deepEqual(asked, []);
    },
  ));

test('what cannot be understood is a failure of the extender, not of the scheduler', () =>
  withExtender(
    { filterVerb: 'filter' },
    () => ['not', 'an', 'object'],
    async ({ wire, settled }) => {
      wire.seed(PODS, makePod('p'));
      assert.match(await settled('p'), /expected an object/);
    },
  ));
