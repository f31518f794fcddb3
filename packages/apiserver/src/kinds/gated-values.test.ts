import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_FEATURES } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import { startTestServer } from '../testing/test-server.ts';
import { gatedValueChecks } from './gated-values.ts';

const named = (spec: object): KubeObject => ({ metadata: { name: 'x' }, ...{ spec } });
const tolerating = (operator: string): object => ({ tolerations: [{ key: 'a', operator, value: '1' }] });
const labelled = (seLinuxChangePolicy: string): object => ({ securityContext: { seLinuxChangePolicy } });
const withDevice = (hostUsers: boolean): object => ({
  hostUsers,
  containers: [{ name: 'a' }, { name: 'b', volumeDevices: [{ name: 'v', devicePath: '/dev/v' }] }],
});

const NUMERIC =
  'spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"';
const MOUNT =
  'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"';
const DEVICE = 'spec.containers[1].volumeDevices: Forbidden: when `hostUsers` is false';

// Provenance: upstream pkg/apis/core/validation, with the options of pkg/api/pod/util.go.
const ROWS: readonly (readonly [what: string, spec: object, gate: string, wrong: readonly string[]])[] = [
  ['a toleration of numbers', tolerating('Gt'), 'TaintTolerationComparisonOperators', [NUMERIC]],
  ['one of any value', tolerating('Exists'), 'TaintTolerationComparisonOperators', []],
  ['labels by an option of the mount', labelled('MountOption'), 'SELinuxMount', [MOUNT]],
  ['labels one by one', labelled('Recursive'), 'SELinuxMount', []],
  ['a device in a user namespace', withDevice(false), '', [DEVICE]],
  ['a device among the host’s users', withDevice(true), '', []],
];

describe('values with a feature gate', () => {
  for (const [what, spec, gate, wrong] of ROWS) {
    it(`${what}: refused where it is new and the gate off`, () => {
      const off = gatedValueChecks('spec', () => false);
      const on = gatedValueChecks('spec', (name) => name === gate);
      assert.deepEqual(off.validate?.(named(spec)).map(String), wrong);
      assert.deepEqual(off.validateUpdate?.(named(spec), named({})).map(String), wrong);
      assert.deepEqual(off.validateUpdate?.(named({ ...spec, priority: 1 }), named(spec)), []);
      assert.deepEqual(on.validate?.(named(spec)).map(String), gate === '' ? wrong : []);
    });
  }

  it('an object without the definition of a pod has none', () => {
    const checks = gatedValueChecks('template.spec', () => false);
    assert.deepEqual([checks.validate?.(named({})), checks.validateUpdate?.(named({}), named({}))], [[], []]);
  });

  it('tolerations of numbers are taken with their gate', async () => {
    const pod = { metadata: { name: 'x' }, spec: { containers: [{ name: 'c', image: 'i' }], ...tolerating('Lt') } };
    const path = '/api/v1/namespaces/default/pods';
    const off = await startTestServer();
    const refused = await off.ask(`POST ${path}`, pod);
    assert.equal(refused.code, 422);
    assert.match(String(refused.body['message']), /spec\.tolerations\[0\]\.operator: Unsupported value: "Lt"/);
    await off.server.close();
    const on = await startTestServer({ features: { ...DEFAULT_FEATURES, TaintTolerationComparisonOperators: true } });
    assert.equal((await on.ask(`POST ${path}`, pod)).code, 201);
    await on.server.close();
  });
});
