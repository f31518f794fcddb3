import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod, Toleration } from '@binnacle/api/core/v1';
import { runAdmission } from '../testing/admission.ts';
import { createTolerationRestriction, tolerateExtendedResources } from './tolerations.ts';
import type { TolerationRestriction } from './tolerations.ts';

const GPU: Toleration = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' };
const metadata = { namespace: 'a', name: 'p' };

function podOf(tolerations: readonly Toleration[], requests: object = {}): Pod {
  return { metadata, spec: { containers: [{ name: 'c', resources: { requests } }], tolerations } } as never;
}

test('whoever asks for a resource of a vendor tolerates its nodes', async () => {
  const object = podOf([{ key: 'x' }, GPU], { cpu: '1', 'example.com/gpu': '1', 'example.com/a': '1' });
  await runAdmission(tolerateExtendedResources, { operation: 'CREATE', resource: 'pods', object });
  assert.deepEqual(object.spec.tolerations, [{ key: 'x' }, { ...GPU, key: 'example.com/a' }, GPU]);
});

const OPEN: TolerationRestriction = { default: [], whitelist: [] };
const key = (name: string): string => `scheduler.alpha.kubernetes.io/${name}`;

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly annotations?: { readonly [name: string]: string };
  readonly configuration?: TolerationRestriction;
  readonly update?: true;
  /** The tolerations, or the refusal. */
  readonly outcome: readonly Toleration[] | string;
}

const MEMORY: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };
const conflict = (scope: string): string =>
  `pods "p" is forbidden: pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

const ROWS: readonly Row[] = [
  { name: 'nothing said', pod: podOf([]), outcome: [] },
  { name: 'not best effort', pod: podOf([], { cpu: '1' }), outcome: [MEMORY] },
  {
    name: 'the namespace',
    pod: podOf([]),
    annotations: { defaultTolerations: '[{"key":"a"}]' },
    outcome: [{ key: 'a' }],
  },
  { name: 'the cluster', pod: podOf([]), configuration: { ...OPEN, default: [GPU] }, outcome: [GPU] },
  {
    name: 'the namespace wants none',
    pod: podOf([]),
    annotations: { defaultTolerations: '' },
    configuration: { ...OPEN, default: [GPU] },
    outcome: [],
  },
  {
    name: 'updates get no defaults',
    pod: podOf([]),
    configuration: { ...OPEN, default: [GPU] },
    update: true,
    outcome: [],
  },
  {
    name: 'what another covers goes',
    pod: podOf([{ key: 'a', value: '1', effect: 'NoSchedule' }]),
    configuration: { ...OPEN, default: [{ key: 'a', operator: 'Exists' }] },
    outcome: [{ key: 'a', operator: 'Exists' }],
  },
  {
    name: 'shorter is covered by longer',
    pod: podOf([{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }]),
    configuration: { ...OPEN, default: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 }] },
    outcome: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 }],
  },
  {
    name: 'not on the list of the namespace',
    pod: podOf([GPU]),
    annotations: { tolerationsWhitelist: '[{"key":"a"}]' },
    outcome: conflict('namespace'),
  },
  {
    name: 'not on the list of the cluster',
    pod: podOf([GPU]),
    configuration: { ...OPEN, whitelist: [{ key: 'a' }] },
    outcome: conflict('cluster'),
  },
  {
    name: 'on the list',
    pod: podOf([GPU]),
    configuration: { ...OPEN, whitelist: [{ operator: 'Exists' }] },
    outcome: [GPU],
  },
  {
    name: 'no list of tolerations',
    pod: podOf([]),
    annotations: { defaultTolerations: '{' },
    outcome: 'annotation scheduler.alpha.kubernetes.io/defaultTolerations of namespace a is no list of tolerations',
  },
  {
    name: 'a list of something else',
    pod: podOf([]),
    annotations: { defaultTolerations: '[{"key":5}]' },
    outcome: 'annotation scheduler.alpha.kubernetes.io/defaultTolerations of namespace a is no list of tolerations',
  },
  {
    name: 'what tolerations do not have goes',
    pod: podOf([]),
    annotations: { defaultTolerations: '[{"key":"a","foo":{"deep":1},"__proto__":{"x":1}}]' },
    outcome: [{ key: 'a' }],
  },
];

describe('what a namespace allows', () => {
  for (const { name, pod: object, annotations = {}, configuration = OPEN, update, outcome } of ROWS) {
    test(name, async () => {
      const noted = Object.fromEntries(Object.entries(annotations).map(([short, value]) => [key(short), value]));
      const refusal = await runAdmission(createTolerationRestriction(configuration), {
        operation: update === true ? 'UPDATE' : 'CREATE',
        resource: 'pods',
        object,
        namespaceObject: { metadata: { name: 'a', annotations: noted } },
      });
      assert.deepEqual(refusal ?? object.spec.tolerations, outcome);
    });
  }
});

test('a pod may have very many, and ask for as many resources', async () => {
  const tolerations = Array.from({ length: 30_000 }, (_, n): Toleration => ({ key: `k${n}`, operator: 'Exists' }));
  const requests = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`example.com/r${n}`, '1']));
  const object = podOf(tolerations, requests);
  const attributes = { operation: 'CREATE', resource: 'pods', object } as const;
  const own = createTolerationRestriction({ ...OPEN, whitelist: [...tolerations, { operator: 'Exists' }] });
  for (const plugin of [tolerateExtendedResources, own]) await runAdmission(plugin, attributes);
  // Not best effort: that of memory is one more.
  assert.equal(object.spec.tolerations?.length, 30_000 + 20_000);
});
