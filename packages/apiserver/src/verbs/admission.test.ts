import assert from 'node:assert/strict';
import test from 'node:test';
import type { AdmissionAttributes } from '../ports/admission.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

async function watched(): Promise<TestServer & { seen: AdmissionAttributes[] }> {
  const seen: AdmissionAttributes[] = [];
  const admit = (attributes: AdmissionAttributes): void => {
    seen.push(attributes);
    attributes.annotate('witness/seen', attributes.operation);
    attributes.annotate('witness/seen', 'never twice');
  };
  const eviction = { handle: () => Promise.resolve({ metadata: {} }) };
  const policy = () =>
    openPolicyWith(
      { pods: { subresources: { eviction } } },
      { admission: [{ name: 'W', handles: () => true, admit }] },
    );
  return { ...(await startTestServer({ policy })), seen };
}

test('a plugin sees the options, the kind of the body, the namespace; what it notes goes to the audit record', async () => {
  const { ask, answer, seen } = await watched();
  await ask('POST /api/v1/namespaces', { metadata: { name: 'default', labels: { level: 'high' } } });
  const { exchange } = await answer(`POST ${PODS_PATH}?fieldManager=me&fieldValidation=Strict`, podNamed('a'));
  const [space, pod] = seen;
  assert.equal(space?.namespaceObject, undefined, 'nothing is around a namespace');
  assert.equal(pod?.namespaceObject?.metadata.labels?.['level'], 'high');
  assert.deepEqual(pod?.options, {
    kind: 'CreateOptions',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    fieldManager: 'me',
    fieldValidation: 'Strict',
  });
  assert.equal(pod?.kind.kind, 'Pod');
  assert.deepEqual([...(exchange.annotations ?? [])], [['witness/seen', 'CREATE']]);

  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
  await ask(`POST ${PODS_PATH}/a/eviction`, body);
  const evicted = seen.at(-1);
  assert.deepEqual(
    [evicted?.info.kind, evicted?.subresource, evicted?.kind.group, evicted?.kind.kind],
    ['Pod', 'eviction', 'policy', 'Eviction'],
  );
  await ask(`DELETE ${PODS_PATH}/a`, { gracePeriodSeconds: 3 });
  assert.deepEqual(
    { ...seen.at(-1)?.options },
    { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 3 },
  );
});
