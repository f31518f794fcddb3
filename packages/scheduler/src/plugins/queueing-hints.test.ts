import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { ClusterEvent } from '../plan/framework.ts';
import { makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { eventMayHelp } from '../testing/waiting.ts';
import { DEFAULT_PLUGINS } from '../profile.ts';
import { CLAIMS, CSI_DRIVERS, CSI_NODES, STORAGE_CLASSES, VOLUMES } from '../refs.ts';

const LARGE = { requests: { cpu: '2' } };
const SMALL = { requests: { cpu: '1' } };

/** A placed pod that asks for one thing and holds another, as its kubelet tells. */
function resized(asked: typeof LARGE, held: typeof LARGE, conditions: readonly object[] = []): Pod {
  const pod = makePod('placed', { nodeName: 'a' });
  const containers = pod.spec.containers.map((one) => ({ ...one, resources: asked }));
  const told = { name: 'c', resources: held, allocatedResources: held.requests };
  return { ...pod, spec: { ...pod.spec, containers }, status: { containerStatuses: [told], conditions } } as never;
}

const downsizing = resized(SMALL, LARGE);
const whole = resized(LARGE, SMALL);
const infeasible = { type: 'PodResizePending', status: 'True', reason: 'Infeasible' };

const pods = (before: Pod, after: Pod): ClusterEvent => ({ resource: 'pods', action: 'update', before, after });
const gone = (resource: string): ClusterEvent => ({ resource, action: 'delete', before: { metadata: { name: 'a' } } });

const ROWS: readonly (readonly [name: string, refusedBy: string, event: ClusterEvent, helps: boolean])[] = [
  [
    'a pod holds less now, of which its status alone tells',
    'NodeResourcesFit',
    pods(downsizing, { ...downsizing, ...{ status: resized(SMALL, SMALL).status } } as Pod),
    true,
  ],
  [
    'a larger size is given up as infeasible',
    'NodeResourcesFit',
    pods(whole, { ...whole, status: { ...whole.status, conditions: [infeasible] } } as Pod),
    true,
  ],
  ['a pod is asked to take more', 'NodeResourcesFit', pods(resized(SMALL, SMALL), whole), false],
  [
    'a pod gets other labels',
    'NodeResourcesFit',
    pods(whole, { ...whole, metadata: { ...whole.metadata, labels: { app: 'x' } } }),
    false,
  ],
  ['a node has no limit of volumes any more', 'NodeVolumeLimits', gone(CSI_NODES.resource), true],
  ['a volume that was attached is not known any more', 'NodeVolumeLimits', gone(VOLUMES.resource), true],
  ['a driver tells no capacities any more', 'VolumeBinding', gone(CSI_DRIVERS.resource), true],
];

for (const [name, refusedBy, event, helps] of ROWS) {
  test(`${name}: ${helps ? 'another try' : 'no reason to try'}`, () => {
    const scene = new Scene();
    const refused = {
      plugins: scene.plugins.byName,
      demand: scene.demand(makePod('waits', { cpu: '1' })),
      refusedBy: new Set([refusedBy]),
    };
    assert.equal(eventMayHelp(refused, event), helps);
  });
}

/** What a profile asks of nodes beside what its pods do, and where a node changes to have it. */
const ENFORCED: readonly (readonly [
  name: string,
  own: string | undefined,
  before: string,
  after: string,
  helps: boolean,
])[] = [
  ['a node becomes one that the profile takes', undefined, 'other', 'mine', true],
  ['a node that the pod likes becomes one that the profile takes', 'amd64', 'other', 'mine', true],
  ['a node becomes one that the profile takes, and the pod does not', 'arm64', 'other', 'mine', false],
  ['a node that the profile does not take gets other labels', undefined, 'other', 'others', false],
];

for (const [name, own, before, after, helps] of ENFORCED) {
  test(`${name}: ${helps ? 'another try' : 'no reason to try'}`, () => {
    const term = { matchExpressions: [{ key: 'team', operator: 'In' as const, values: ['mine'] }] };
    const addedAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
    const plugins = DEFAULT_PLUGINS.map((plugin) =>
      plugin.factory.name === 'NodeAffinity' ? { ...plugin, args: { addedAffinity } } : plugin,
    );
    const node = (team: string): Node => makeNode('a', { labels: { team, arch: 'amd64' } });
    const scene = new Scene({ profile: { schedulerName: 'default-scheduler', plugins } }).nodes(node(before));
    const pod = makePod('waits', own === undefined ? {} : { nodeSelector: { arch: own } });
    const { refusedBy } = scene.decide(pod);
    assert.deepEqual(refusedBy, ['NodeAffinity']);
    scene.nodes(node(after));
    assert.equal(scene.decide(pod).node, helps ? 'a' : undefined);
    const waiting = { plugins: scene.plugins.byName, demand: scene.demand(pod), refusedBy: new Set(refusedBy) };
    const event: ClusterEvent = { resource: 'nodes', action: 'update', before: node(before), after: node(after) };
    assert.equal(eventMayHelp(waiting, event), helps);
  });
}

/** A cluster with one thing that one pod alone can have, and two pods that want it. */
const RESERVED: Readonly<Record<string, () => { scene: Scene; first: Pod; second: Pod }>> = {
  VolumeBinding: () => {
    const scene = new Scene().nodes(makeNode('a'));
    const late = { provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' as const };
    scene.object(STORAGE_CLASSES, { metadata: { name: 'late' }, ...late });
    const size = { storage: '1Gi' };
    const accessModes = ['ReadWriteOnce' as const];
    const spec = { capacity: size, accessModes, storageClassName: 'late' };
    scene.object(VOLUMES, { metadata: { name: 'v' }, spec, status: { phase: 'Available' } });
    const [first, second] = ['one', 'two'].map((name) => {
      const metadata = { name, namespace: 'default', uid: `claim-${name}` };
      const wanted = { accessModes, storageClassName: 'late', resources: { requests: size } };
      scene.object(CLAIMS, { metadata, spec: wanted, status: { phase: 'Pending' } });
      return makePod(name, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] });
    });
    assert.ok(first !== undefined && second !== undefined);
    return { scene, first, second };
  },
  DynamicResources: () => {
    const scene = new Scene().nodes(makeNode('a')).object(DEVICE_CLASSES, makeClass('any'));
    scene.object(RESOURCE_SLICES, makeSlice('a', [{ name: 'g' }]));
    for (const name of ['one', 'two']) scene.object(RESOURCE_CLAIMS, makeClaim(name, [request('r')]));
    const pod = (name: string): Pod => makePod(name, { resourceClaims: [{ name: 'gpu', resourceClaimName: name }] });
    return { scene, first: pod('one'), second: pod('two') };
  },
};

for (const [name, make] of Object.entries(RESERVED)) {
  test(`what ${name} had set aside for a pod that came to nothing is told to whoever waits for it`, () => {
    const { scene, first, second } = make();
    const plugin = scene.plugins.byName.get(name);
    assert.equal(scene.decide(first).node, 'a');
    assert.equal(plugin?.reserve?.(scene.demand(first), 'a'), undefined);
    const { node, refusedBy } = scene.decide(second);
    assert.deepEqual([node, refusedBy], [undefined, [name]]);
    plugin?.unreserve?.(scene.demand(first), 'a');
    assert.equal(scene.decide(second).node, 'a');
    const waiting = { plugins: scene.plugins.byName, demand: scene.demand(second), refusedBy: new Set(refusedBy) };
    assert.ok(scene.notified.some((event) => eventMayHelp(waiting, event)));
  });
}

test('a plugin that fails to say whether an event helps costs its pod a try, and no other pod the event', () => {
  const mayHelp = (): boolean => {
    throw new Error('somebody forgot a case');
  };
  const own = { name: 'Own', wakesOn: [{ resource: 'nodes', actions: ['add' as const], mayHelp }] };
  const plugins = new Map([['Own', own]]);
  const demand = new Scene().demand(makePod('p'));
  const asked = { plugins, demand, refusedBy: new Set(['Own']) };
  assert.equal(eventMayHelp(asked, { resource: 'nodes', action: 'add' }), true);
  assert.equal(eventMayHelp(asked, { resource: 'nodes', action: 'delete' }), false);
});
