import assert from 'node:assert/strict';
import test from 'node:test';
import { PODS } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import { readAuditPolicy } from '../audit/policy.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const MERGE_PATCH = 'application/merge-patch+json';

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
  const recorded = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
  const audit = { policy: readAuditPolicy(recorded), sinks: () => [] };
  return { ...(await startTestServer({ policy, audit })), seen };
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
  const noted = [...(exchange.annotations ?? [])].filter(([key]) => key.startsWith('witness/'));
  assert.deepEqual(noted, [['witness/seen', 'CREATE']]);

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

test('whether a plugin has something to say of a sort is asked once; whether it has anything to do, each time', async () => {
  const asked: string[] = [];
  const calls: string[] = [];
  let isIdle = true;
  const plugin: AdmissionPlugin = {
    name: 'W',
    handles(operation, info, subresource) {
      asked.push(`${operation} ${info.resource} ${subresource}`);
      return info.resource === 'pods';
    },
    isIdle: () => isIdle,
    admit: ({ operation, subresource }) => void calls.push(`${operation} ${subresource}`),
  };
  const { ask } = await startTestServer({ policy: () => openPolicyWith({}, { admission: [plugin] }) });
  await ask('POST /api/v1/namespaces', { metadata: { name: 'default' } });
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  isIdle = false;
  await ask(`POST ${PODS_PATH}`, podNamed('b'));
  await ask(`PATCH ${PODS_PATH}/b/status`, { status: { phase: 'Running' } }, { 'content-type': MERGE_PATCH });
  await ask(`PATCH ${PODS_PATH}/b`, { metadata: { labels: { a: 'b' } } }, { 'content-type': MERGE_PATCH });
  assert.deepEqual(calls, ['CREATE ', 'UPDATE status', 'UPDATE ']);
  const pods = asked.filter((one) => one.includes('pods'));
  assert.deepEqual(pods, ['CREATE pods ', 'UPDATE pods status', 'UPDATE pods ']);
});

test('plugins run in their order, whichever of them waits; the first refusal ends it', async () => {
  const calls: string[] = [];
  const plugin = (name: string, how: 'at once' | 'later' | 'refuses'): AdmissionPlugin => ({
    name,
    handles: (_operation, info) => info.resource === 'pods',
    admit() {
      calls.push(name);
      if (how === 'refuses') throw status.forbidden(PODS, 'x', `${name} says no`);
      return how === 'later' ? Promise.resolve().then(() => void calls.push(`${name} is done`)) : undefined;
    },
  });
  const admission = [plugin('A', 'at once'), plugin('B', 'later'), plugin('C', 'refuses'), plugin('D', 'at once')];
  const { ask } = await startTestServer({ policy: () => openPolicyWith({}, { admission }) });
  const { code } = await ask(`POST ${PODS_PATH}`, podNamed('a'));
  assert.equal(code, 403);
  assert.deepEqual(calls, ['A', 'B', 'B is done', 'C']);
});
