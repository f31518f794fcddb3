import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laneOfComponent, laneOfUser } from './lanes.ts';

const USERS: readonly [user: string, lane: string][] = [
  ['kubernetes-admin', 'client'],
  ['system:kube-scheduler', 'scheduler'],
  ['system:node:n1', 'kubelet'],
  ['system:simulated-nodes', 'kubelet'],
  ['system:serviceaccount:kube-system:replication-controller', 'controllers'],
  ['system:serviceaccount:default:ci', 'client'],
  ['system:apiserver', 'apiserver'],
];
for (const [user, lane] of USERS) test(`the lane of ${user}`, () => assert.equal(laneOfUser(user), lane));

test('the lane of a component: by what it does, else by its name', () => {
  assert.equal(laneOfComponent('my-own', 'decision'), 'scheduler');
  assert.equal(laneOfComponent('kubelet n1', 'event'), 'kubelet');
  assert.equal(laneOfComponent('default-scheduler', 'event'), 'scheduler');
  assert.equal(laneOfComponent('replication-controller', 'event'), 'controllers');
  assert.equal(laneOfComponent('kubectl/v1.33', 'request'), 'client');
});
