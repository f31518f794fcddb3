import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { aligned, numaNodes } from '../testing/giving.ts';
import { pass, testPod } from '../testing/node.ts';
import { VirtualClock } from '@binnacle/base';
import type { Giver } from './alignment.ts';
import { type Hint, type Hints, NO_HINTS } from './hint.ts';

/** Says where it could give, writes down what it gave. */
function giverOf(
  name: string,
  hints: (container: Container | undefined) => readonly Hint[] | undefined,
  said: string[],
): Giver {
  return {
    hints: (_, container): Hints => {
      const list = hints(container);
      return list === undefined ? NO_HINTS : new Map([[name, list]]);
    },
    give: async (_, { container, nodes }) => {
      said.push(`${name} to ${container.name} from ${nodes ?? 'anywhere'}`);
      return container.name === 'greedy' ? { reason: 'UnexpectedAdmissionError', message: 'too much' } : undefined;
    },
    release: (uid) => said.push(`${name} back from ${uid}`),
    written: Promise.resolve(),
  };
}

const pod = (...names: string[]): Pod =>
  testPod({ metadata: { uid: 'u' }, spec: { containers: names.map((name) => ({ name })) } });
const one = (nodes: number): readonly Hint[] => [{ nodes, isPreferred: true }];

test('each container has its own place, or all of the pod one', async () => {
  const said: string[] = [];
  const givers = [
    giverOf('cpu', (c) => (c === undefined ? one(2) : one(c.name === 'a' ? 1 : 2)), said),
    giverOf('memory', () => undefined, said),
  ];
  const of = { nodes: numaNodes(2), topologyManagerPolicy: 'single-numa-node' } as const;
  assert.equal(await aligned(givers, of).give(pod('a', 'b')), undefined);
  assert.deepEqual(said.splice(0), ['cpu to a from 1', 'memory to a from 1', 'cpu to b from 2', 'memory to b from 2']);
  assert.equal(await aligned(givers, { ...of, topologyManagerScope: 'pod' }).give(pod('a', 'b')), undefined);
  assert.deepEqual(said.splice(0), ['cpu to a from 2', 'memory to a from 2', 'cpu to b from 2', 'memory to b from 2']);
  assert.equal(await aligned(givers, { nodes: numaNodes(2) }).give(pod('a')), undefined);
  assert.deepEqual(said, ['cpu to a from anywhere', 'memory to a from anywhere']);
});

test('a pod whose things do not lie together is sent away, and has nothing', async () => {
  const said: string[] = [];
  const givers = [giverOf('cpu', () => one(1), said), giverOf('memory', () => one(2), said)];
  const alignment = aligned(givers, { nodes: numaNodes(2), topologyManagerPolicy: 'restricted' });
  assert.deepEqual(await alignment.give(pod('a')), {
    reason: 'TopologyAffinityError',
    message: 'Resources cannot be allocated with Topology locality',
  });
  assert.deepEqual(said, ['cpu back from u', 'memory back from u']);
  assert.deepEqual(alignment.counts, { requests: 1, errors: 1 });
});

test('what one container cannot have is taken back from the others; pods are served one after the other', async () => {
  const said: string[] = [];
  const alignment = aligned([giverOf('cpu', () => undefined, said)], { nodes: [] });
  const [first, second] = await Promise.all([alignment.give(pod('a', 'greedy')), alignment.give(pod('b'))]);
  assert.deepEqual([first?.message, second], ['too much', undefined]);
  assert.deepEqual(said, [
    'cpu to a from anywhere',
    'cpu to greedy from anywhere',
    'cpu back from u',
    'cpu to b from anywhere',
  ]);
});

test('a pod does not have what it was given before that is written down', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const giver: Giver = { ...giverOf('cpu', () => undefined, []), written: promise };
  let isGiven = false;
  const giving = aligned([giver], { nodes: [] })
    .give(pod('a'))
    .then(() => (isGiven = true));
  await pass(new VirtualClock(), 1);
  assert.equal(isGiven, false);
  resolve();
  await giving;
});
