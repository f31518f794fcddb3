import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '@binnacle/api';
import type { ValidatingAdmissionPolicy } from '@binnacle/api/admissionregistration/v1';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { createTestWorld } from '../test-world.ts';
import { checkTypes } from './type-check.ts';

const rule = (group: string, version: string, resource: string): object => ({
  operations: ['CREATE'],
  apiGroups: [group],
  apiVersions: [version],
  resources: [resource],
});

function policy(spec: object, ...rules: readonly object[]): ValidatingAdmissionPolicy {
  return { metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules: rules }, ...spec } };
}

const BOATS = {
  metadata: { name: 'boats.ships.io' },
  spec: {
    group: 'ships.io',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { masts: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
} as unknown as CustomResourceDefinition;

interface Row {
  readonly name: string;
  readonly policy: ValidatingAdmissionPolicy;
  /** Field and the first line of each warning. */
  readonly warnings: readonly string[];
}

const DEPLOYMENTS = rule('apps', 'v1', 'deployments');
const only = (expression: string, more: object = {}): object => ({ validations: [{ expression, ...more }] });

const ROWS: readonly Row[] = [
  { name: 'what fits', policy: policy(only('object.spec.replicas > 1'), DEPLOYMENTS), warnings: [] },
  {
    name: 'types that do not fit each other',
    policy: policy(
      only("object.spec.replicas > '1'", { messageExpression: "'got ' + object.spec.replicas" }),
      DEPLOYMENTS,
    ),
    warnings: [
      "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
      "spec.validations[0].messageExpression: apps/v1, Kind=Deployment: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(string, int)'",
    ],
  },
  {
    name: 'a field that one of two kinds has not',
    policy: policy(only('object.spec.replicas > 1'), DEPLOYMENTS, rule('', 'v1', 'pods')),
    warnings: ["spec.validations[0].expression: /v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'replicas'"],
  },
  {
    name: 'custom kinds, variables and parameters',
    policy: policy(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'masts', expression: 'object.spec.masts' }],
        ...only("variables.masts == params.data['masts']"),
      },
      rule('ships.io', 'v1', 'boats'),
    ),
    warnings: [
      "spec.validations[0].expression: ships.io/v1, Kind=Boat: ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(int, string)'",
    ],
  },
  {
    name: 'lists, maps, quantities and names that are spelt out',
    policy: policy(
      only(
        "object.spec.containers.all(c, c.image != '' && c.resources.limits['cpu'] != '1') && object.metadata.labels['a'] == 'b'",
      ),
      rule('', 'v1', 'pods'),
    ),
    warnings: [],
  },
  {
    name: 'stars name no kind',
    policy: policy(only('object.nope'), rule('*', 'v1', 'pods'), rule('', 'v1', '*')),
    warnings: [],
  },
];

for (const row of ROWS) {
  test(row.name, () => {
    const found = checkTypes(row.policy, [BOATS]);
    assert.deepEqual(
      found.map(({ fieldRef, warning }) => `${fieldRef}: ${warning.split('\n')[0] ?? ''}`),
      row.warnings,
    );
  });
}

test('each generation is looked at once, and told even where nothing is wrong', async () => {
  const world = createTestWorld();
  const process = world.start(['validatingadmissionpolicy-status-controller']);
  await world.client.resource(CUSTOM_RESOURCE_DEFINITIONS).create(BOATS);
  const policies = world.client.resource(VALIDATING_ADMISSION_POLICIES);
  await policies.create(policy(only('object.spec.replicas > 1'), DEPLOYMENTS));
  const bad = policy(only("object.spec.replicas > '1'"), DEPLOYMENTS);
  await policies.create({ ...bad, metadata: { name: 'bad' } });
  const look = async (name: string): Promise<number | undefined> => {
    const { status } = await policies.get(name);
    return status?.typeChecking === undefined ? undefined : (status.typeChecking.expressionWarnings?.length ?? 0);
  };
  await import('./type-check.ts');
  await world.run(2000);
  assert.deepEqual([await look('p'), await look('bad')], [0, 1]);
  await process.kill();
});
