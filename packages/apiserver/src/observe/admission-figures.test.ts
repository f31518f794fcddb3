import assert from 'node:assert/strict';
import test from 'node:test';
import { createTokenKeys } from '../node/token-keys.ts';
import { createPolicy } from '../policy.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { AdmissionFigures } from './admission-figures.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const RULES = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

async function start(): Promise<TestServer> {
  return startTestServer({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys() }),
  });
}

async function metrics({ ask }: TestServer): Promise<string> {
  return String((await ask('GET /metrics')).body['text']);
}

function holds(text: string, lines: readonly string[]): void {
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
}

test('nothing is shown of what never happened', () => {
  const out: string[] = [];
  new AdmissionFigures(() => 0).render(out);
  assert.deepEqual(out, []);
});

test('policies: what did not hold, and what was done about it; expressions', async () => {
  const server = await start();
  const { ask } = server;
  await ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  const policy = (name: string, validations: readonly object[]): unknown =>
    ask(`POST ${GROUP}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: { matchConstraints: { resourceRules: RULES }, validations },
    });
  const bind = (policyName: string, validationActions: readonly string[]): unknown =>
    ask(`POST ${GROUP}/validatingadmissionpolicybindings`, {
      metadata: { name: `${policyName}-here` },
      spec: { policyName, validationActions },
    });
  await policy('strict', [{ expression: "object.metadata.name != 'bad'" }]);
  await bind('strict', ['Warn', 'Audit']);
  await policy('odd', [{ expression: 'object.data.nope == "x"' }]);
  await bind('odd', ['Deny']);
  await ask('POST /api/v1/namespaces/a/configmaps', { metadata: { name: 'bad' } });
  const text = await metrics(server);
  const check = 'apiserver_validating_admission_policy_check';
  const labels = (name: string, sort: string, action: string): string =>
    `policy="${name}",policy_binding="${name}-here",error_type="${sort}",enforcement_action="${action}"`;
  holds(text, [
    `${check}_total{${labels('strict', 'no_error', 'warn')}} 1`,
    `${check}_total{${labels('strict', 'no_error', 'audit')}} 1`,
    `${check}_total{${labels('odd', 'invalid_error', 'deny')}} 1`,
    `${check}_duration_seconds_count{${labels('odd', 'invalid_error', 'deny')}} 1`,
    'apiserver_cel_evaluation_duration_seconds_count 2',
    'apiserver_cel_compilation_duration_seconds_count 2',
  ]);
});

test('policies that change', async () => {
  const server = await start();
  const { ask } = server;
  await ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  const expression = 'Object{metadata: Object.metadata{labels: {"made": "so"}}}';
  await ask(`POST ${GROUP}/mutatingadmissionpolicies`, {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: RULES },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
      reinvocationPolicy: 'Never',
    },
  });
  await ask(`POST ${GROUP}/mutatingadmissionpolicybindings`, { metadata: { name: 'b' }, spec: { policyName: 'p' } });
  const made = await ask('POST /api/v1/namespaces/a/configmaps', { metadata: { name: 'x' } });
  assert.deepEqual(made.body.metadata.labels, { made: 'so' });
  holds(await metrics(server), [
    'apiserver_mutating_admission_policy_check_total{policy="p",policy_binding="b",error_type="no_error"} 1',
  ]);
});

test('pods held to a standard: by level, mode and what came of it', async () => {
  const server = await start();
  const { ask } = server;
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'restricted' };
  await ask('POST /api/v1/namespaces', { metadata: { name: 'a', labels } });
  await ask('POST /api/v1/namespaces/a/serviceaccounts', { metadata: { name: 'default' } });
  const pod = (name: string, more: object): object => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...more },
  });
  await ask('POST /api/v1/namespaces/a/pods', pod('good', {}));
  await ask('POST /api/v1/namespaces/a/pods', pod('bad', { hostNetwork: true }));
  const of = (decision: string, level: string, mode: string): string =>
    `pod_security_evaluations_total{decision="${decision}",policy_level="${level}",policy_version="latest",mode="${mode}",request_operation="create",resource="pod",subresource=""}`;
  holds(await metrics(server), [
    `${of('allow', 'baseline', 'enforce')} 1`,
    `${of('deny', 'baseline', 'enforce')} 1`,
    `${of('deny', 'restricted', 'warn')} 1`,
  ]);
});
