import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { admissionTable, runAdmission } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createRuntimeClass } from './runtime-class.ts';

const cache = new MemoryCache();
const plugin = createRuntimeClass(cache);
const toleration = { key: 'vm', operator: 'Exists' };
cache.put({ group: 'node.k8s.io', resource: 'runtimeclasses' }, {
  metadata: { name: 'vm' },
  handler: 'kata',
  overhead: { podFixed: { memory: '64Mi' } },
  scheduling: { nodeSelector: { kind: 'vm' }, tolerations: [toleration] },
} as never);
cache.put({ group: 'node.k8s.io', resource: 'runtimeclasses' }, {
  metadata: { name: 'odd' },
  handler: 'odd',
  scheduling: { nodeSelector: { constructor: 'x' } },
} as never);
const pod = (spec: object): Pod => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } }) as never;

test('the class says what a pod costs and where it runs', async () => {
  const object = pod({ runtimeClassName: 'vm', tolerations: [toleration] });
  assert.equal(await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object }), undefined);
  const { overhead, nodeSelector, tolerations } = object.spec;
  assert.deepEqual([overhead, nodeSelector, tolerations], [{ memory: '64Mi' }, { kind: 'vm' }, [toleration]]);
});

const create = (spec: object): { operation: 'CREATE'; resource: string; object: object } => ({
  operation: 'CREATE',
  resource: 'pods',
  object: pod(spec),
});
admissionTable(plugin, [
  ['no class', create({}), undefined],
  ['a label that only a prototype has', create({ runtimeClassName: 'odd', nodeSelector: { a: 'b' } }), undefined],
  [
    'a class that is not there',
    create({ runtimeClassName: 'x' }),
    'pods "p" is forbidden: pod rejected: RuntimeClass "x" not found',
  ],
  [
    'a cost without a class',
    create({ overhead: { cpu: '1' } }),
    'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  [
    'another cost',
    create({ runtimeClassName: 'vm', overhead: { memory: '1Mi' } }),
    "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    'another place',
    create({ runtimeClassName: 'vm', nodeSelector: { kind: 'metal' } }),
    'pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[kind] = vm; pod.spec.nodeSelector[kind] = metal',
  ],
]);
