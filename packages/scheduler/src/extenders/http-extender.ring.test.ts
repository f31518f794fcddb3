/** Extenders over real sockets, asked by a whole scheduler. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { EVENTS, NODES, PODS } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger } from '@binnacle/base';
import { createHttpCaller, realClock } from '@binnacle/base/node';
import type { Pod } from '@binnacle/api/core/v1';
import { createClient, createInformer } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import type { ExplainedPreemption } from '../plan/preemption-tale.ts';
import { startScheduler } from '../scheduler.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { createHttpExtender } from './http-extender.ts';
import type { ExtenderConfig } from './http-extender.ts';

type Answer = (path: string, body: Record<string, unknown>) => unknown;

/** In place of an answer: there is none, ever. */
const HANGS = Symbol('hangs');

interface World {
  /** Resolves when something was asked. */
  readonly heard: Promise<void>;
  readonly wire: NetworkedServer<MemoryApi>;
  readonly asked: [path: string, body: Record<string, unknown>][];
  /** Resolves when the pod has a node, or there is a warning about it; or, with a reason, when there is an event with it. */
  readonly settled: (pod: string, reason?: string) => Promise<string>;
  /** What preemption looked at for pod `p`. */
  readonly preemption: () => ExplainedPreemption | undefined;
}

async function withExtender(
  config: Partial<ExtenderConfig>,
  answer: Answer,
  check: (world: World) => Promise<void>,
): Promise<void> {
  const asked: World['asked'] = [];
  const heard = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      const path = request.url ?? '';
      asked.push([path, body]);
      heard.resolve();
      const reply = answer(path, body);
      if (reply === HANGS) return;
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
  const scheduler = startScheduler({
    client: createClient(wire.connect()),
    world: { clock: realClock, random, log: silentLogger },
    scope,
    extenders: [extender],
  });
  const settled: World['settled'] = async (pod, wanted) => {
    const found = Promise.withResolvers<string>();
    const late = realClock.after(5_000, () => found.reject(new Error(`${pod} was not settled`)));
    const client = createClient(wire.connect());
    const world = { clock: realClock, random, log: silentLogger };
    const look = new Scope('look');
    const pods = createInformer(client, PODS, world);
    const events = createInformer(client, EVENTS, world);
    const podSeen = ({ metadata, spec }: Pod): void => {
      if (wanted === undefined && metadata.name === pod && spec.nodeName !== undefined) found.resolve(spec.nodeName);
    };
    pods.subscribe({ add: podSeen, update: (_, after) => podSeen(after) });
    events.subscribe({
      add: ({ involvedObject, type, reason, message }) => {
        const isWanted = wanted === undefined ? type === 'Warning' : reason === wanted;
        if (involvedObject.name === pod && isWanted) found.resolve(message ?? '');
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
    const preemption = () => scheduler.explain('default/p')?.preemption;
    await check({ wire, asked, settled, preemption, heard: heard.promise });
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

test('one that claims what it was not asked about is not believed', async () => {
  const lies: readonly { name: string; answer: unknown; config?: Partial<ExtenderConfig>; said: RegExp }[] = [
    {
      name: 'a node of its own',
      answer: { NodeNames: ['a', 'x'.repeat(2 ** 20)] },
      said: /^extender \S+: claims a filtered node "x{256}" which is not found in the input node list$/,
    },
    {
      name: 'more than names can be',
      answer: { NodeNames: ['x'.repeat(9 * 2 ** 20)] },
      said: /answered with more than 8388608 bytes$/,
    },
    { name: 'an error without an end', answer: { Error: 'no '.repeat(2 ** 20) }, said: /^extender \S+: (no ){85}n$/ },
    {
      name: 'fields as Go reads them',
      answer: { nodeNAMES: [], FAILEDnodes: { a: 'loud' } },
      said: /: 1 loud, 2 node/,
    },
  ];
  for (const { name, answer, said } of lies) {
    await withExtender(
      { filterVerb: 'filter' },
      () => answer,
      async ({ wire, settled }) => {
        wire.seed(PODS, makePod('p'));
        assert.match(await settled('p'), said, name);
      },
    );
  }
});

test('a score that is no whole number is no preference', () =>
  withExtender(
    { prioritizeVerb: 'prioritize', weight: 100 },
    () => [
      { Host: 'a', Score: 10.5 },
      { Host: 'b', Score: 10 },
    ],
    async ({ wire, settled }) => {
      // Without the extender's word it goes where most is free.
      for (const node of ['a', 'b']) wire.seed(PODS, makePod(`on-${node}`, { cpu: '1', nodeName: node }));
      wire.seed(PODS, makePod('p', { cpu: '1' }));
      assert.equal(await settled('p'), 'c');
    },
  ));

test('reasons at length, each another one, are cut: the pod and its event say what they can', () =>
  withExtender(
    { filterVerb: 'filter', nodeCacheCapable: false },
    (_, body) => {
      const { items } = body['Nodes'] as { items: { metadata: { name: string } }[] };
      const reasons = items.map(({ metadata }) => [metadata.name, `${metadata.name} `.repeat(2 ** 14)]);
      return { Nodes: { items: [] }, FailedNodes: Object.fromEntries(reasons) as Record<string, string> };
    },
    async ({ wire, settled }) => {
      for (let i = 0; i < 100; i++) wire.seed(NODES, makeNode(`n${i}`));
      wire.seed(PODS, makePod('p'));
      const note = await settled('p');
      assert.match(note, /^0\/103 nodes are available: .* \.\.\.$/);
      assert.equal(note.length, 1024);
      const patched = wire.calls.find((c) => c.name === 'p' && c.subresource === 'status');
      const condition = (patched?.body as Pod | undefined)?.status?.conditions?.[0];
      assert.equal(condition?.reason, 'Unschedulable');
      assert.match(condition?.message ?? '', / 53 node\(s\) were refused by extender http/);
      assert.ok((condition?.message?.length ?? 0) < 20_000, `${condition?.message?.length}`);
    },
  ));

test('a pod that cannot be bound says so itself', () =>
  withExtender(
    { bindVerb: 'bind' },
    () => ({ Error: 'not today' }),
    async ({ wire, settled }) => {
      wire.seed(PODS, makePod('p'));
      await settled('p');
      const patched = wire.calls.find((c) => c.name === 'p' && c.subresource === 'status');
      const condition = (patched?.body as Pod | undefined)?.status?.conditions?.[0];
      assert.deepEqual(
        [condition?.type, condition?.status, condition?.reason],
        ['PodScheduled', 'False', 'SchedulerError'],
      );
      assert.match(condition?.message ?? '', /not today/);
      assert.equal(condition?.observedGeneration, 1);
    },
  ));

describe('an extender that has a say in preemption', () => {
  const full = (wire: World['wire']): void => {
    for (const node of ['a', 'b', 'c']) {
      wire.seed(PODS, makePod(`old-${node}`, { cpu: '3', priority: 1, nodeName: node }));
      wire.seed(PODS, makePod(`small-${node}`, { cpu: '1', priority: 2, nodeName: node }));
    }
    wire.seed(PODS, makePod('p', { cpu: '3', priority: 1_000 }));
  };
  const preempt = (answer: unknown, check: (world: World) => Promise<void>, config: Partial<ExtenderConfig> = {}) =>
    withExtender(
      { preemptVerb: 'preempt', ...config },
      () => answer,
      async (world) => {
        full(world.wire);
        await check(world);
      },
    );

  test('leaves one node, and takes another victim there', () =>
    preempt(
      { NodeNameToMetaVictims: { b: { Pods: [{ UID: 'pod-small-b' }, { UID: 'pod-old-b' }], NumPDBViolations: 0 } } },
      async ({ asked, settled, preemption }) => {
        assert.equal(await settled('small-b', 'Preempted'), 'Preempted by pod pod-p on node b');
        assert.deepEqual(asked[0]?.[1]['NodeNameToMetaVictims'], {
          a: { Pods: [{ UID: 'pod-old-a' }], NumPDBViolations: 0 },
          b: { Pods: [{ UID: 'pod-old-b' }], NumPDBViolations: 0 },
          c: { Pods: [{ UID: 'pod-old-c' }], NumPDBViolations: 0 },
        });
        const told = preemption();
        assert.deepEqual(
          [told?.candidates, told?.listed.map(({ node }) => node), told?.chosen, told?.choice],
          [3, ['b'], 'b', []],
        );
        assert.deepEqual(
          told?.listed[0]?.named.map(({ name }) => name),
          ['small-b', 'old-b'],
        );
        assert.deepEqual(
          told?.extenders.map(({ left, failed }) => [left, failed]),
          [[1, false]],
        );
      },
    ));

  test('names nobody: that is told, and no pod waits for a room that nobody makes', () =>
    preempt({ NodeNameToMetaVictims: { b: { Pods: [] } } }, async ({ wire, settled }) => {
      assert.match(await settled('p'), /expected at least one victim pod on node "b"$/);
      assert.ok(!wire.calls.some((c) => c.verb === 'delete'));
    }));

  test('strikes all out', () =>
    preempt({ NodeNameToMetaVictims: null }, async ({ wire, settled, preemption }) => {
      assert.match(await settled('p'), / preemption: no candidate node for preemption$/);
      const told = preemption();
      assert.deepEqual([told?.candidates, told?.listed, told?.chosen, told?.extenders[0]?.left], [3, [], undefined, 0]);
      assert.ok(!wire.calls.some((c) => c.verb === 'delete'));
    }));
});

test('one that never answers holds nobody up who wants to stop', { timeout: 60_000 }, () =>
  withExtender(
    { filterVerb: 'filter', prioritizeVerb: 'prioritize', timeoutMs: 3_600_000 },
    () => HANGS,
    async ({ wire, heard }) => {
      wire.seed(PODS, makePod('p'));
      await heard;
    },
  ),
);
