import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import {
  containerAnnotations,
  containerHash,
  containerLabels,
  mountAnnotations,
  podLabels,
  recursivelyReadOnlyPaths,
  restartCountOf,
} from './labels.ts';

const pod = testPod({
  metadata: { labels: { app: 'x' }, deletionGracePeriodSeconds: 5 },
  container: {
    ports: [{ containerPort: 80 }],
    lifecycle: { preStop: { sleep: { seconds: 1 } } },
    terminationMessagePath: '/dev/t',
    terminationMessagePolicy: 'File',
  },
});
const container = pod.spec.containers[0]!;

test('what a restarted kubelet needs is on the container', () => {
  assert.deepEqual(containerAnnotations(pod, container, 3), {
    'io.kubernetes.container.hash': containerHash(container),
    'io.kubernetes.container.restartCount': '3',
    'io.kubernetes.container.terminationMessagePath': '/dev/t',
    'io.kubernetes.container.terminationMessagePolicy': 'File',
    'io.kubernetes.container.ports': '[{"containerPort":80}]',
    'io.kubernetes.container.preStopHandler': '{"sleep":{"seconds":1}}',
    'io.kubernetes.pod.terminationGracePeriod': '30',
    'io.kubernetes.pod.deletionGracePeriod': '5',
  });
  assert.equal(restartCountOf(containerAnnotations(pod, container, 3)), 3);
  assert.equal(restartCountOf({ 'io.kubernetes.container.restartCount': 'x' }), 0);
});

test('labels', () => {
  const own = {
    'io.kubernetes.pod.name': 'web',
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': 'uid-web',
  };
  assert.deepEqual(podLabels(pod), { app: 'x', ...own });
  assert.deepEqual(containerLabels(pod, container), { 'io.kubernetes.container.name': 'main', ...own });
});

test('the hash is of name and image only', () => {
  assert.equal(containerHash({ ...container, args: ['x'] }), containerHash(container));
  assert.notEqual(containerHash({ ...container, image: 'other' }), containerHash(container));
});

for (const [name, mounts, paths] of [
  ['none', [], []],
  ['none of some', [{ containerPath: '/a' }, { containerPath: '/b', isRecursivelyReadOnly: false }], []],
  ['one of some', [{ containerPath: '/a' }, { containerPath: '/b', isRecursivelyReadOnly: true }], ['/b']],
] as const) {
  test(`what is read only with all that is below it is on the container: ${name}`, () => {
    const annotations = mountAnnotations(mounts);
    assert.deepEqual(recursivelyReadOnlyPaths(annotations), paths);
    assert.equal(Object.keys(annotations).length, paths.length);
  });
}
