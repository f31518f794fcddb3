/** What expressions decide of a request: admission policies, and the match conditions of webhooks. */
import assert from 'node:assert/strict';
import { DEPLOYMENTS, PODS, VALIDATING_ADMISSION_POLICIES } from '@binnacle/api';
import { requests } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { podOf, template, untilOne } from '../objects.ts';
import { CONFIGURATIONS, configurations, webhookOf, withWebhooks } from '../webhooks.ts';
import type { ConfigurationKind } from '../webhooks.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const GROUP_VERSION = 'admissionregistration.k8s.io/v1';
const RULE = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

function deployment(name: string, replicas: number, metadata: object = {}): Thing {
  const spec = { replicas, selector: { matchLabels: { app: name } }, template: template(name) };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, ...metadata }, spec };
}

function deployments(world: World) {
  return requests(world, `/apis/apps/v1/namespaces/${world.namespace}/deployments`);
}

/** Puts a policy to work in the behaviour's namespace, and takes it away when `body` is done. */
async function withPolicy(
  world: World,
  { kind, spec, actions }: { kind: ConfigurationKind; spec: object; actions?: readonly string[] },
  body: () => Promise<void>,
): Promise<void> {
  const name = `policy-${world.namespace}`;
  const policies = requests(world, `${CONFIGURATIONS}/${kind.toLowerCase()}admissionpolicies`);
  const bindings = requests(world, `${CONFIGURATIONS}/${kind.toLowerCase()}admissionpolicybindings`);
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } };
  const matchConstraints = { namespaceSelector, resourceRules: [RULE] };
  const heads = { apiVersion: GROUP_VERSION, metadata: { name } };
  const wanted = { matchConstraints, ...spec };
  await policies.create({ ...heads, kind: `${kind}AdmissionPolicy`, spec: wanted });
  try {
    if (kind === 'Validating') {
      await untilOne(world, VALIDATING_ADMISSION_POLICIES, {
        name,
        what: 'its types are checked',
        until: ({ status }) => status?.typeChecking !== undefined,
      });
    }
    const bound = { policyName: name, ...(actions === undefined ? {} : { validationActions: actions }) };
    await bindings.create({ ...heads, kind: `${kind}AdmissionPolicyBinding`, spec: bound });
    await body();
  } finally {
    await world.http(`${CONFIGURATIONS}/${kind.toLowerCase()}admissionpolicybindings/${name}`, { method: 'DELETE' });
    await policies.delete(name);
  }
}

/** The message of a deployment that must be refused. */
async function refused(world: World, thing: Thing): Promise<string> {
  const at = `/apis/apps/v1/namespaces/${world.namespace}/deployments`;
  const answer = await deployments(world).refused({ method: 'POST', at, code: 422 }, thing);
  assert.equal(answer.reason, 'Invalid');
  return answer.message;
}

behaviours('simulated', 'policies that only look', (check) => {
  check(
    '[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should validate against a Deployment [Conformance]',
    async (world) => {
      const spec = {
        validations: [
          {
            expression: 'object.spec.replicas > 1',
            messageExpression: "'wants replicas > 1, got ' + string(object.spec.replicas)",
          },
          {
            expression: `namespaceObject.metadata.name == '${world.namespace}'`,
            message: 'Internal error! Other namespace should not be allowed.',
          },
        ],
      };
      await withPolicy(world, { kind: 'Validating', spec, actions: ['Deny'] }, async () => {
        assert.match(await refused(world, deployment('one', 1)), /wants replicas > 1, got 1$/);
        await deployments(world).create(deployment('two', 2));
        const other = await world.makeNamespace();
        await world.client.resource(DEPLOYMENTS, other).create(deployment('one', 1) as never);
      });
      await deployments(world).create(deployment('one', 1));
    },
  );

  check(
    '[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should allow expressions to refer variables. [Conformance]',
    async (world) => {
      const spec = {
        variables: [
          { name: 'replicas', expression: 'object.spec.replicas' },
          { name: 'oddReplicas', expression: 'variables.replicas % 2 == 1' },
          { name: 'replicasReminder', expression: 'variables.replicas % 2' },
        ],
        validations: [
          { expression: 'variables.replicas > 1' },
          { expression: 'variables.oddReplicas' },
          { expression: 'variables.replicasReminder == 1' },
        ],
      };
      await withPolicy(world, { kind: 'Validating', spec, actions: ['Deny'] }, async () => {
        assert.match(await refused(world, deployment('one', 1)), /failed expression: variables\.replicas > 1$/);
        assert.match(await refused(world, deployment('two', 2)), /failed expression: variables\.oddReplicas$/);
        await deployments(world).create(deployment('three', 3));
      });
    },
  );
});

behaviours('simulated', 'policies that change', (check) => {
  check(
    '[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate a Deployment [Conformance]',
    async (world) => {
      const expression = 'Object{spec: Object.spec{replicas: object.spec.replicas + 1}}';
      const spec = {
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
      };
      await withPolicy(world, { kind: 'Mutating', spec }, async () => {
        const made = await deployments(world).create(deployment('changed', 1));
        assert.equal((made.spec as { replicas: number }).replicas, 2);
      });
      const plain = await deployments(world).create(deployment('plain', 1));
      assert.equal((plain.spec as { replicas: number }).replicas, 1);
    },
  );

  check(
    '[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate a Deployment with annotations [Conformance]',
    async (world) => {
      const expression = `has(object.metadata.annotations)
        ? [JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('ledger.example.com/mark'), value: 'yes'}]
        : [JSONPatch{op: 'add', path: '/metadata/annotations', value: {'ledger.example.com/mark': 'yes'}}]`;
      const spec = { reinvocationPolicy: 'Never', mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }] };
      await withPolicy(world, { kind: 'Mutating', spec }, async () => {
        const bare = await deployments(world).create(deployment('bare', 1));
        assert.equal(bare.metadata.annotations?.['ledger.example.com/mark'], 'yes');
        const own = await deployments(world).create(deployment('own', 1, { annotations: { own: 'too' } }));
        assert.equal(own.metadata.annotations?.['own'], 'too');
        assert.equal(own.metadata.annotations?.['ledger.example.com/mark'], 'yes');
      });
    },
  );
});

const COVERED = { operations: ['CREATE'], resources: ['configmaps'] };
const condition = (name: string, expression: string): object => ({ name, expression });

/** A configuration with conditions is stored as it is, and its conditions can be changed. */
async function storesConditions(world: World, kind: ConfigurationKind): Promise<void> {
  await withWebhooks(world, {}, async (service) => {
    const name = `conditions-${kind.toLowerCase()}-${world.namespace}`;
    const conditions = [condition('expression-1', "object.metadata.namespace == 'production'")];
    const hook = webhookOf(world, service.clientConfig('/any'), { ...COVERED, more: { matchConditions: conditions } });
    await service.configure(kind, name, { webhooks: [hook] });
    const api = configurations(world, kind);
    const stored = (await api.get(name)) as Thing & { webhooks: (object & { matchConditions: unknown })[] };
    assert.deepEqual(stored.webhooks[0]?.matchConditions, conditions);
    const more = [...conditions, condition('expression-2', "object.metadata.namespace == 'staging'")];
    await api.update({ ...stored, webhooks: [{ ...stored.webhooks[0], matchConditions: more }] });
    const changed = (await api.get(name)) as typeof stored;
    assert.deepEqual(changed.webhooks[0]?.matchConditions, more);
  });
}

/** A condition that cannot be read is refused with the configuration, and the answer says why. */
async function refusesConditions(world: World, kind: ConfigurationKind): Promise<void> {
  const name = `invalid-${kind.toLowerCase()}-${world.namespace}`;
  const bad = [condition('bad', "... [] bad-expression 'production'")];
  const hook = webhookOf(world, { url: 'https://localhost:1/' }, { ...COVERED, more: { matchConditions: bad } });
  const asked = { method: 'POST', at: `${CONFIGURATIONS}/${kind.toLowerCase()}webhookconfigurations`, code: 422 };
  const api = configurations(world, kind);
  const body = { apiVersion: GROUP_VERSION, kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks: [hook] };
  assert.match((await api.refused(asked, body)).message, /compilation failed/);
  await api.missing(name);
}

behaviours('simulated', 'match conditions', (check) => {
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to create and update mutating webhook configurations with match conditions [Conformance]',
    (world) => storesConditions(world, 'Mutating'),
  );
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to create and update validating webhook configurations with match conditions [Conformance]',
    (world) => storesConditions(world, 'Validating'),
  );
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should reject mutating webhook configurations with invalid match conditions [Conformance]',
    (world) => refusesConditions(world, 'Mutating'),
  );
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should reject validating webhook configurations with invalid match conditions [Conformance]',
    (world) => refusesConditions(world, 'Validating'),
  );

  check(
    "[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate everything except 'skip-me' configmaps [Conformance]",
    async (world) => {
      const label = () => ({ patch: [{ op: 'add', path: '/metadata/labels', value: { changed: 'yes' } }] });
      await withWebhooks(world, { '/label': label }, async (service) => {
        const more = {
          matchConditions: [condition('skip-me', "object.metadata.name != 'skip-me'")],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } },
        };
        const covered = { operations: ['CREATE'], resources: ['configmaps', 'pods'], more };
        const hook = webhookOf(world, service.clientConfig('/label'), covered);
        await service.configure('Mutating', `skip-${world.namespace}`, { webhooks: [hook] });
        const maps = requests(world, `/api/v1/namespaces/${world.namespace}/configmaps`);
        const map = (name: string): Thing => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
        assert.equal((await maps.create(map('skip-me'))).metadata.labels?.['changed'], undefined);
        assert.equal((await maps.create(map('mutate-me'))).metadata.labels?.['changed'], 'yes');
        const pod = await world.client.resource(PODS, world.namespace).create(podOf('any'));
        assert.equal(pod.metadata.labels?.['changed'], 'yes');
      });
    },
  );
});
