/** Admission policies in CEL. */
import assert from 'node:assert/strict';
import { configMapOf, deploymentOf } from './objects.ts';
import type { Scene, Stories } from './scene.ts';

const API = 'admissionregistration.k8s.io/v1';

function policyOf(
  name: string,
  resource: readonly [group: string, version: string, plural: string],
  spec: object,
): object {
  const [group, version, plural] = resource;
  const rules = [{ apiGroups: [group], apiVersions: [version], operations: ['CREATE', 'UPDATE'], resources: [plural] }];
  return {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules: rules }, ...spec },
  };
}

/** A policy counts in the scene's namespace alone. */
function bindingOf({ namespace }: Scene, policyName: string, more: object): object {
  return {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${policyName}-here` },
    spec: {
      policyName,
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
      ...more,
    },
  };
}

const DEPLOYMENTS = ['apps', 'v1', 'deployments'] as const;
const MAPS = ['', 'v1', 'configmaps'] as const;

/** Writes who let the object in. */
function mutationOf({ namespace }: Scene, name: string): readonly object[] {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const expression = "Object{metadata: Object.metadata{labels: {'let-in-by': request.userInfo.username}}}";
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
  return [
    {
      apiVersion: API,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: { matchConstraints: { resourceRules: rules }, mutations, reinvocationPolicy: 'Never' },
    },
    {
      apiVersion: API,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: `${name}-here` },
      spec: { policyName: name, matchResources },
    },
  ];
}

export const policyStories: Stories = {
  'a policy of few replicas: too many are refused, and the words are the one of the policy': async (begin) => {
    const scene = await begin('few');
    const { namespace, out, fails, until } = scene;
    const name = `${namespace}.example.com`;
    const validations = [{ expression: 'object.spec.replicas <= 2' }];
    await out('create -f -', policyOf(name, DEPLOYMENTS, { validations }));
    await out('create -f -', bindingOf(scene, name, { validationActions: ['Deny'] }));
    const refusal = `ValidatingAdmissionPolicy '${name}' with binding '${name}-here' denied request: failed expression: object.spec.replicas <= 2`;
    const { stderr } = await until('create --dry-run=server -f -', /denied/, deploymentOf('web', 3));
    assert.equal(stderr, `The deployments "web" is invalid: : ${refusal}\n`);
    await out('create -f -', deploymentOf('web', 2));
    const scaled = { spec: { replicas: 5 } };
    assert.equal(
      await fails(`patch deployment web -p ${JSON.stringify(scaled)}`),
      `The deployments "web" is invalid: : ${refusal}`,
    );
    await out(
      `delete validatingadmissionpolicy,validatingadmissionpolicybinding ${name} ${name}-here --ignore-not-found`,
    );
  },

  'a policy with a reason, a message that is reckoned, and one that only warns': async (begin) => {
    const scene = await begin('words');
    const { namespace, out, run, until } = scene;
    const name = `${namespace}.example.com`;
    const validations = [
      {
        expression: "!has(object.data) || !('secret' in object.data)",
        messageExpression: "'no secrets in ' + object.metadata.name",
        reason: 'Forbidden',
      },
    ];
    await out('create -f -', policyOf(name, MAPS, { validations }));
    await out('create -f -', bindingOf(scene, name, { validationActions: ['Deny'] }));
    const { stderr } = await until('create --dry-run=server -f -', /denied/, configMapOf('a', { secret: 'x' }));
    assert.equal(
      stderr,
      `Error from server (Forbidden): error when creating "STDIN": configmaps "a" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}-here' denied request: no secrets in a\n`,
    );
    const warning = { spec: { validationActions: ['Warn'] } };
    await out(`patch validatingadmissionpolicybinding ${name}-here -p ${JSON.stringify(warning)}`);
    await until('create --dry-run=server -f -', /^Warning/, configMapOf('a', { secret: 'x' }));
    const made = await run('create -f -', configMapOf('a', { secret: 'x' }));
    assert.deepEqual(
      [made.stdout, made.stderr],
      [
        'configmap/a created\n',
        `Warning: Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}-here': no secrets in a\n`,
      ],
    );
    await out(`delete validatingadmissionpolicybinding ${name}-here`);
    await out(`delete validatingadmissionpolicy ${name}`);
  },

  'a policy that cannot be: it is refused, and what its types say is told': async (begin) => {
    const { namespace, out, fails } = await begin('types');
    const name = `${namespace}.example.com`;
    const broken = policyOf(name, MAPS, { validations: [{ expression: 'object.data ==' }] });
    assert.match(
      await fails('create -f -', broken),
      /^The ValidatingAdmissionPolicy "[^"]+" is invalid: spec\.validations\[0\]\.expression: Invalid value: "object\.data ==": compilation failed: ERROR: <input>:1:15: Syntax error/,
    );
    await out(
      'create -f -',
      policyOf(name, DEPLOYMENTS, { validations: [{ expression: "object.spec.replicas == 'two'" }] }),
    );
    await out(`wait --for=jsonpath={.status.observedGeneration}=1 validatingadmissionpolicy/${name} --timeout=20s`);
    assert.match(
      await out(
        `get validatingadmissionpolicy ${name} -o jsonpath={.status.typeChecking.expressionWarnings[0].warning}`,
      ),
      /^apps\/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '\(int, string\)'/,
    );
    await out(`delete validatingadmissionpolicy ${name}`);
  },

  'a policy that writes': async (begin) => {
    const scene = await begin('writes');
    const name = `${scene.namespace}.example.com`;
    for (const object of mutationOf(scene, name)) await scene.out('create -f -', object);
    const trial = 'create --dry-run=server -f - -o jsonpath={.metadata.labels}';
    const { stdout } = await scene.until(trial, /let-in-by/, configMapOf('a'));
    assert.equal(stdout, '{"let-in-by":"kubernetes-admin"}');
    await scene.out(`delete mutatingadmissionpolicybinding ${name}-here`);
    await scene.out(`delete mutatingadmissionpolicy ${name}`);
  },
};
