import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../../generated/core-v1.ts';
import { featuresToPlace, featuresToUpdate, undeclaredFeatures } from './declared-features.ts';

const podOf = (spec: object): Pod =>
  ({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } }) as unknown as Pod;
const restarting = (action: string): object => ({
  name: 'r',
  image: 'i',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [1] } }],
});
const ALL = 'RestartAllContainersOnContainerExits';

for (const [name, spec, expected] of [
  ['nothing', {}, []],
  ['one container starts anew', { containers: [restarting('Restart')] }, []],
  ['all containers start anew', { containers: [restarting('RestartAllContainers')] }, [ALL]],
  ['for an init container', { initContainers: [restarting('RestartAllContainers')] }, [ALL]],
  ['users of its own', { hostUsers: false }, []],
  [
    'all of it, sorted',
    { hostNetwork: true, hostUsers: false, containers: [restarting('RestartAllContainers')] },
    [ALL, 'UserNamespacesHostNetworkSupport'],
  ],
  ['resources as a whole, from the start', { resources: { requests: { cpu: '1' } } }, []],
] as const) {
  test(`to be placed a pod needs of a kubelet: ${name}`, () =>
    assert.deepEqual(featuresToPlace(podOf(spec)), expected));
}

const ONE = { requests: { cpu: '1' } };
const TWO = { requests: { cpu: '2' } };
const POD_LEVEL = 'InPlacePodLevelResourcesVerticalScaling';
const INIT = 'InPlacePodVerticalScalingInitContainers';
const init = (resources?: object, restartPolicy?: string): object => ({
  initContainers: [{ name: 'i', image: 'i', restartPolicy, resources }],
});

for (const [name, spec, before, expected] of [
  ['nothing new', { resources: ONE, ...init(ONE) }, { resources: ONE, ...init(ONE) }, []],
  ['a container resized', { containers: [{ name: 'c', resources: TWO }] }, {}, []],
  ['resources as a whole, others', { resources: TWO }, { resources: ONE }, [POD_LEVEL]],
  ['resources as a whole, the first', { resources: ONE }, {}, [POD_LEVEL]],
  ['resources as a whole, gone', {}, { resources: ONE }, [POD_LEVEL]],
  ['a sidecar resized', init(TWO, 'Always'), init(ONE, 'Always'), []],
  ['an init container resized', init(TWO), init(ONE), [INIT]],
  ['an init container that had nothing', init(ONE), init(), [INIT]],
  ['an empty list of resources', init({}), init(), []],
  ['an init container gone', {}, init(ONE), [INIT]],
  ['both', { resources: TWO, ...init(TWO) }, { resources: ONE, ...init(ONE) }, [POD_LEVEL, INIT]],
  ['what placement needed', { containers: [restarting('RestartAllContainers')] }, {}, []],
] as const) {
  test(`to change a pod needs of its kubelet: ${name}`, () =>
    assert.deepEqual(featuresToUpdate(podOf(spec), podOf(before)), expected));
}

test('what a node does not declare is missing', () => {
  assert.deepEqual(undeclaredFeatures([POD_LEVEL, ALL], { status: { declaredFeatures: ['A', ALL] } }), [POD_LEVEL]);
  assert.deepEqual(undeclaredFeatures([ALL], {}), [ALL]);
  assert.deepEqual(undeclaredFeatures([ALL], undefined), [ALL]);
  assert.deepEqual(undeclaredFeatures([], undefined), []);
});
