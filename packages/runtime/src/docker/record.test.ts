import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RECORD_LABEL, type SandboxRecord, recordLabels, recordOf } from './record.ts';

const sandbox: SandboxRecord = {
  kind: 'sandbox',
  uid: 'u1',
  attempt: 2,
  createdAt: 1000,
  name: 'web',
  namespace: 'default',
  labels: { app: 'web', constructor: 'x' },
  annotations: { note: 'a "quoted" one' },
  hostNetwork: false,
};

describe('the record of a pod in a label', () => {
  test('comes back as it was, beside labels for eyes and filters', () => {
    const labels = recordLabels(sandbox, { owner: 'me' });
    assert.deepEqual(recordOf(labels), sandbox);
    assert.equal(labels['owner'], 'me');
    assert.equal(labels['io.kubernetes.pod.uid'], 'u1');
    assert.equal(labels['io.kubernetes.docker.type'], 'podsandbox');
  });

  for (const [name, text] of [
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another kind', JSON.stringify({ ...sandbox, kind: 'pod' })],
    ['a field of another type', JSON.stringify({ ...sandbox, attempt: '2' })],
    ['labels that are no texts', JSON.stringify({ ...sandbox, labels: { app: 1 } })],
    ['a container without its sandbox', JSON.stringify({ ...sandbox, kind: 'container' })],
  ] as const) {
    test(`${name} is nobody's`, () => {
      assert.equal(recordOf({ [RECORD_LABEL]: text }), undefined);
    });
  }

  test('without the label nothing is ours', () => {
    assert.equal(recordOf(null), undefined);
    assert.equal(recordOf({ 'io.kubernetes.pod.uid': 'u1' }), undefined);
  });
});
