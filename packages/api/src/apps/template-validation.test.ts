import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from '../kinds.ts';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const SELECTOR = { matchLabels: { a: 'b' } };

function defaulted(group: string, kind: string, object: object): KubeObject {
  const draft = structuredClone({ metadata: { name: 'x', namespace: 'd' }, status: {}, ...object }) as KubeObject;
  kindRules(group, kind).defaults?.(draft);
  return draft;
}

const texts = (errors: readonly { toString(): string }[] | undefined): string[] =>
  (errors ?? []).map((error) => error.toString());

const RC = ['', 'ReplicationController'] as const;
const RS = ['apps', 'ReplicaSet'] as const;
const DEPLOYMENT = ['apps', 'Deployment'] as const;

// Provenance: upstream pkg/apis/core/validation (RC) and pkg/apis/apps/validation (the others).
describe('validation of new workloads', () => {
  const rows: [name: string, upstream: string, of: readonly [string, string], spec: object, ...errors: string[]][] = [
    ['right rc', 'ValidateReplicationControllerSpec', RC, { template: TEMPLATE }],
    [
      'rc without a template',
      'ValidateReplicationControllerSpec',
      RC,
      {},
      'spec.selector: Required value',
      'spec.template: Required value',
    ],
    [
      'rc that does not select its pods',
      'ValidatePodTemplateSpecForRC',
      RC,
      { selector: { x: 'y' }, template: TEMPLATE },
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
    [
      'rc with a negative count',
      'ValidateReplicationControllerSpec',
      RC,
      { replicas: -1, template: TEMPLATE },
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'rc of pods that end',
      'ValidatePodTemplateSpecForRC',
      RC,
      { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
    ],
    ['right rs', 'ValidateReplicaSetSpec', RS, { selector: SELECTOR, template: TEMPLATE }],
    [
      'rs without a selector',
      'ValidateReplicaSetSpec',
      RS,
      { template: TEMPLATE },
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
    [
      'rs with an empty selector',
      'ValidateReplicaSetSpec',
      RS,
      { selector: {}, template: TEMPLATE },
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
    ],
    ['right deployment', 'ValidateDeploymentSpec', DEPLOYMENT, { selector: SELECTOR, template: TEMPLATE }],
    [
      'deployment with a wrong template',
      'ValidatePodTemplateSpec',
      DEPLOYMENT,
      { selector: SELECTOR, template: { ...TEMPLATE, spec: { containers: [{ name: 'c' }] } } },
      'spec.template.spec.containers[0].image: Required value',
    ],
    [
      'deployment strategy',
      'ValidateDeploymentStrategy',
      DEPLOYMENT,
      { selector: SELECTOR, template: TEMPLATE, strategy: { type: 'Foo' } },
      'spec.strategy: Unsupported value: {"type":"Foo"}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      'recreate with rolling update',
      'ValidateDeploymentStrategy',
      DEPLOYMENT,
      { selector: SELECTOR, template: TEMPLATE, strategy: { type: 'Recreate', rollingUpdate: {} } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      'no surge and none unavailable',
      'ValidateRollingUpdateDeployment',
      DEPLOYMENT,
      {
        selector: SELECTOR,
        template: TEMPLATE,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      'more than all',
      'IsNotMoreThan100Percent',
      DEPLOYMENT,
      {
        selector: SELECTOR,
        template: TEMPLATE,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '101%' } },
      },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      'progress deadline',
      'ValidateDeploymentSpec',
      DEPLOYMENT,
      { selector: SELECTOR, template: TEMPLATE, progressDeadlineSeconds: 5, minReadySeconds: 5 },
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
  ];
  for (const [name, upstream, [group, kind], spec, ...errors] of rows) {
    it(`${name} (${upstream})`, () => {
      assert.deepEqual(texts(kindRules(group, kind).validate?.(defaulted(group, kind, { spec }))), errors);
    });
  }
});

describe('validation of changed workloads', () => {
  for (const [group, kind] of [RS, DEPLOYMENT]) {
    it(`the selector of a ${kind} stays (strategy.ValidateUpdate)`, () => {
      const before = defaulted(group, kind, { spec: { selector: SELECTOR, template: TEMPLATE } });
      const labels = { a: 'b', c: 'd' };
      const template = { ...TEMPLATE, metadata: { labels } };
      const after = defaulted(group, kind, { spec: { selector: { matchLabels: { c: 'd' } }, template } });
      assert.deepEqual(texts(kindRules(group, kind).validateUpdate?.(after, before)), [
        'spec.selector: Invalid value: {"matchLabels":{"c":"d"}}: field is immutable',
      ]);
    });
  }

  it('counts of a status fit together (ValidateDeploymentStatus)', () => {
    const [group, kind] = DEPLOYMENT;
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3, collisionCount: 1 };
    const after = defaulted(group, kind, { spec: {}, status });
    const before = defaulted(group, kind, { spec: {}, status: { collisionCount: 2 } });
    assert.deepEqual(texts(kindRules(group, kind).validateStatusUpdate?.(after, before)), [
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ]);
  });

  const beyondNone = (part: string): string =>
    `status.${part}: Invalid value: 0: cannot be greater than status.replicas`;
  for (const [[group, kind], own] of [
    [DEPLOYMENT, 'updatedReplicas'],
    [RS, 'fullyLabeledReplicas'],
    [['', 'ReplicationController'], 'fullyLabeledReplicas'],
  ] as const) {
    it(`a ${kind} with fewer than none is told of its own counts, and of no other kind's`, () => {
      const after = defaulted(group, kind, { spec: {}, status: { replicas: -1 } });
      const before = defaulted(group, kind, { spec: {}, status: {} });
      assert.deepEqual(texts(kindRules(group, kind).validateStatusUpdate?.(after, before)), [
        'status.replicas: Invalid value: -1: must be greater than or equal to 0',
        ...[own, 'readyReplicas', 'availableReplicas'].map(beyondNone),
      ]);
    });
  }
});
