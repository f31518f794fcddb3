import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../api/request.ts';
import type { ActionWorld } from './action.ts';
import { rolloutUndo } from './rollout-undo.ts';

const kind = (resource: string) => ({
  ...{ group: 'apps', version: 'v1', resource, kind: '', namespaced: true },
  ...{ shortNames: [], categories: [], verbs: [], subresources: [] },
});
const OBJECT = { apiVersion: '', kind: '', metadata: { name: 'web', namespace: 'n', uid: 'u', resourceVersion: '1' } };
const owned = { ownerReferences: [{ uid: 'u', kind: 'x', name: 'web', apiVersion: '' }] };
const replicaSet = (revision: string, image: string, more: object = owned) => ({
  metadata: { ...more, annotations: { 'deployment.kubernetes.io/revision': revision } },
  spec: { template: { metadata: { labels: { app: 'web', 'pod-template-hash': 'h' } }, spec: { image } } },
});

function world(items: readonly object[]) {
  const sent: ApiRequest[] = [];
  const send = (call: ApiRequest): Promise<unknown> => Promise.resolve(sent.push(call) === 1 ? { items } : {});
  const acting = { nowMs: 0, send, tell: () => undefined, wait: () => Promise.resolve() };
  return { sent, acting: acting as unknown as ActionWorld };
}

test('a Deployment goes back to the template of the ReplicaSet before', async () => {
  const { sent, acting } = world([
    replicaSet('9', 'b'),
    replicaSet('10', 'c'),
    replicaSet('11', 'x', {}),
    replicaSet('2', 'a'),
  ]);
  await rolloutUndo(kind('deployments'), OBJECT, acting);
  deepEqual(sent[0]?.path, '/apis/apps/v1/namespaces/n/replicasets');
  deepEqual(sent[1]?.body, [
    { op: 'replace', path: '/spec/template', value: { metadata: { labels: { app: 'web' } }, spec: { image: 'b' } } },
    { op: 'add', path: '/metadata/annotations', value: {} },
  ]);
});

test('with the template comes what was said of it, and the numbers of now stay', async () => {
  const own = { 'deployment.kubernetes.io/revision': '10', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const before = replicaSet('9', 'b');
  const said = { ...before.metadata.annotations, 'deployment.kubernetes.io/desired-replicas': '3' };
  const metadata = { ...before.metadata, annotations: { ...said, 'kubernetes.io/change-cause': 'first' } };
  const { sent, acting } = world([{ ...before, metadata }, replicaSet('10', 'c')]);
  const annotations = { ...own, 'kubernetes.io/change-cause': 'second' };
  const deployment = { ...OBJECT, metadata: { ...OBJECT.metadata, annotations } };
  await rolloutUndo(kind('deployments'), deployment, acting);
  const [, second] = (sent[1]?.body ?? []) as readonly { readonly value: unknown }[];
  deepEqual(second?.value, { ...own, 'kubernetes.io/change-cause': 'first' });
});

test('others go back by the patch that their ControllerRevision keeps', async () => {
  const revisions = [1, 2].map((revision) => ({ metadata: owned, revision, data: { spec: revision } }));
  const { sent, acting } = world(revisions);
  await rolloutUndo(kind('statefulsets'), OBJECT, acting);
  deepEqual([sent[1]?.contentType, sent[1]?.body], ['application/strategic-merge-patch+json', { spec: 1 }]);
});

test('where there was nothing before', async () => {
  await rejects(rolloutUndo(kind('deployments'), OBJECT, world([replicaSet('1', 'a')]).acting), /no rollout history/);
});
