import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, checkUpdate, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate } from '../../validate.ts';

const STATEFUL_SET: Kind = ['apps', 'StatefulSet', true];
const MOUNTING = [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: MOUNTING } };
const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const RIGHT = {
  serviceName: 's',
  selector: { matchLabels: { a: 'b' } },
  template: TEMPLATE,
  volumeClaimTemplates: [CLAIM],
};
const withSpec = (fields: object): object => ({ spec: { ...RIGHT, ...fields } });

// Provenance: upstream pkg/apis/apps/validation/validation.go.
checkCreate('stateful sets', [
  ['right: its containers mount its claims', 'ValidateStatefulSet', STATEFUL_SET, { spec: RIGHT }],
  [
    'a mount of no claim',
    'ValidatePodTemplateSpecForStatefulSet',
    STATEFUL_SET,
    withSpec({ volumeClaimTemplates: [] }),
    'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
  ],
  [
    'a claim of nothing',
    'ValidatePersistentVolumeClaimSpec',
    STATEFUL_SET,
    withSpec({ volumeClaimTemplates: [{ ...CLAIM, spec: { accessModes: ['ReadWriteOnce'] } }] }),
    'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
  ],
  [
    'unknown policies',
    'ValidateStatefulSetSpec',
    STATEFUL_SET,
    withSpec({
      podManagementPolicy: 'Foo',
      updateStrategy: { type: 'Foo' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Foo' },
    }),
    "spec.podManagementPolicy: Invalid value: \"Foo\": must be 'OrderedReady' or 'Parallel'",
    'spec.updateStrategy: Invalid value: {"type":"Foo"}: must be \'RollingUpdate\' or \'OnDelete\'',
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Foo": supported values: "Retain", "Delete"',
  ],
  [
    'rolling on delete',
    'ValidateStatefulSetSpec',
    STATEFUL_SET,
    withSpec({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
    'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy \'RollingUpdate\'',
  ],
  [
    'negative numbers',
    'ValidateStatefulSetSpec',
    STATEFUL_SET,
    withSpec({
      replicas: -1,
      minReadySeconds: -1,
      ordinals: { start: -1 },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: -1, maxUnavailable: 0 } },
    }),
    'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0',
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'no selector',
    'ValidateStatefulSetSpec',
    STATEFUL_SET,
    withSpec({ selector: undefined }),
    'spec.selector: Required value',
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'a name with dots',
    'ValidateStatefulSetName',
    STATEFUL_SET,
    { metadata: { name: 'a.b' }, spec: RIGHT },
    'metadata.name: Invalid value: "a.b": must not contain dots',
  ],
]);

checkUpdate('stateful sets', [
  [
    'what may change',
    'ValidateStatefulSetUpdate',
    STATEFUL_SET,
    { spec: RIGHT },
    withSpec({ replicas: 5, minReadySeconds: 3, revisionHistoryLimit: 2, ordinals: { start: 1 } }),
  ],
  [
    'what may not',
    'ValidateStatefulSetUpdate',
    STATEFUL_SET,
    { spec: RIGHT },
    withSpec({ serviceName: 'other' }),
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ],
]);

it('checks the counts of a stateful set (ValidateStatefulSetStatus)', () => {
  const before = objectOf(STATEFUL_SET, { spec: RIGHT });
  const status = { replicas: 1, readyReplicas: 1, availableReplicas: 2 };
  const after = objectOf(STATEFUL_SET, { spec: RIGHT, status });
  const kind = { group: 'apps', kind: 'StatefulSet', namespaced: true };
  assert.deepEqual(texts(validateStatusUpdate(kind, after, before)), [
    'status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas',
  ]);
});
