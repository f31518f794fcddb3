import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { makeClaim } from '../testing/devices.ts';
import { ClusterState } from '../plan/cluster-state.ts';
import { makeNode } from '../testing/objects.ts';
import { isThere, plannedNode, worthOf } from './planner.ts';
import type { Wish } from './requests.ts';

const wish = (name: string): Wish => ({
  name,
  className: 'any',
  class: undefined,
  expressions: [],
  count: 1,
  adminAccess: false,
  tolerations: [],
  capacity: new Map(),
});
const ways = (request: string, ...subrequests: readonly string[]) => ({
  name: request,
  wishes: subrequests.map((one) => wish(`${request}/${one}`)),
});
const exactly = (name: string) => ({ name, wishes: [wish(name)] });

// Upstream: eight for the first alternative of a request, one less for each further one.
for (const [name, claims, chosen, worth] of [
  ['nothing asked for', [], [], 0],
  ['no ways to choose from', [[exactly('r')]], [['r']], 0],
  ['the first way', [[ways('r', 'a', 'b')]], [['r/a']], 8],
  ['the second', [[ways('r', 'a', 'b')]], [['r/b']], 7],
  ['the last of eight', [[ways('r', '1', '2', '3', '4', '5', '6', '7', '8')]], [['r/8']], 1],
  ['several devices of one way count once', [[ways('r', 'a', 'b')]], [['r/b', 'r/b']], 7],
  ['each request', [[ways('r', 'a', 'b'), ways('s', 'a', 'b'), exactly('t')]], [['r/a', 's/b', 't']], 15],
  ['each claim', [[ways('r', 'a', 'b')], [ways('r', 'a', 'b')]], [['r/a'], ['r/b']], 15],
  ['none of the ways was taken', [[ways('r', 'a', 'b')]], [[]], 0],
  ['nothing was chosen', [[ways('r', 'a', 'b')]], [], 0],
] as const)
  test(`what a plan is worth: ${name}`, () => {
    const open = claims.map((requests) => ({ claim: makeClaim('c', []), requests }));
    const device = { id: 'd', pool: 'p' } as never;
    const devices = chosen.map((names) => names.map((one) => ({ wish: wish(one), device })));
    assert.equal(
      worthOf({ wanted: { allocated: [], open, resources: new Map(), stale: undefined }, chosen: devices }),
      worth,
    );
  });

const onNode = (...names: readonly string[]) => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: names }] }],
});
for (const [name, status, expected] of [
  ['it has none yet', undefined, true],
  ['wherever it is', { allocation: {} }, true],
  ['here', { allocation: { nodeSelector: onNode('n') } }, true],
  ['elsewhere', { allocation: { nodeSelector: onNode('m') } }, false],
  [
    'by labels of the node',
    {
      allocation: { nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }] } },
    },
    true,
  ],
  ['nowhere', { allocation: { nodeSelector: { nodeSelectorTerms: [] } } }, false],
] as const)
  test(`a node reaches the devices of a claim: ${name}`, () => {
    const claim = makeClaim('c', [], status === undefined ? {} : { status });
    assert.equal(isThere(claim, { name: 'n', labels: { gpu: 'x' } }), expected);
  });

test('a node offers of a resource what there is of it, and nothing that no node names', () => {
  const state = new ClusterState();
  state.setNode(makeNode('n', { labels: { rack: '1' }, resources: { 'x.io/gpu': '2', 'x.io/nic': '0' } }));
  const slot = state.nodes.slotOf('n') ?? -1;
  const node = plannedNode(state.nodes, slot);
  assert.deepEqual([node?.name, node?.labels?.['rack']], ['n', '1']);
  assert.deepEqual(
    ['x.io/gpu', 'x.io/nic', 'x.io/none'].map((resource) => node?.offers(resource)),
    [true, false, false],
  );
  assert.equal(plannedNode(state.nodes, slot + 1), undefined);
});
