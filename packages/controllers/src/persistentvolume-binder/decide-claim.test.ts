import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { BIND_COMPLETED, SELECTED_NODE } from './annotations.ts';
import { decideClaim } from './decide-claim.ts';
import type { ClaimDecision, ClaimView } from './decide-claim.ts';

interface Row {
  readonly name: string;
  readonly spec?: Partial<PersistentVolumeClaim['spec']>;
  readonly annotations?: { readonly [key: string]: string };
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly isDefault?: string;
  readonly pods?: readonly string[];
  /** What is done, and with which volume, class, provisioner, or for which reason and message. */
  readonly expected: string;
}

const claim = ({ spec = {}, annotations = {} }: Row): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'ns', uid: 'u', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const volume = (name: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume => ({
  metadata: { name },
  spec: { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  status: { phase: 'Available' },
});
const storage = (name: string, provisioner: string, late = false): StorageClass => ({
  metadata: { name },
  provisioner,
  volumeBindingMode: late ? 'WaitForFirstConsumer' : 'Immediate',
});
const kept = { namespace: 'ns', name: 'c' };
const bound = { [BIND_COMPLETED]: 'yes' };
const late = [storage('late', 'example.com/late', true)];

const ROWS: readonly Row[] = [
  { name: 'a free volume', volumes: [volume('v')], expected: 'bind v' },
  {
    name: 'a volume kept for it, however large',
    volumes: [volume('v'), volume('kept', { claimRef: kept, capacity: { storage: '9Ti' } })],
    expected: 'bind kept',
  },
  {
    name: 'a volume kept for it that lacks its access mode is none',
    volumes: [volume('kept', { claimRef: kept, accessModes: ['ReadOnlyMany'] })],
    expected: 'wait Normal FailedBinding no persistent volumes available for this claim and no storage class is set',
  },
  {
    name: 'nothing, and a default class since',
    isDefault: 'fast',
    classes: [storage('fast', 'example.com/fast')],
    expected: 'assign-class fast',
  },
  {
    name: 'nothing, and no class on purpose',
    spec: { storageClassName: '' },
    isDefault: 'fast',
    classes: [storage('fast', 'example.com/fast')],
    expected: 'wait Normal FailedBinding no persistent volumes available for this claim and no storage class is set',
  },
  {
    name: 'a class that is not there',
    spec: { storageClassName: 'gone' },
    expected: 'wait Warning ProvisioningFailed storageclass.storage.k8s.io "gone" not found',
  },
  {
    name: 'a class of volumes made by hand',
    spec: { storageClassName: 'hand' },
    classes: [storage('hand', 'kubernetes.io/no-provisioner')],
    expected: 'wait Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner',
  },
  {
    name: 'an immediate class',
    spec: { storageClassName: 'fast' },
    classes: [storage('fast', 'example.com/fast')],
    expected: 'provision example.com/fast',
  },
  {
    name: 'a class that waits, with a free volume: the scheduler’s',
    spec: { storageClassName: 'late' },
    classes: late,
    volumes: [volume('v', { storageClassName: 'late' })],
    expected: 'wait Normal WaitForFirstConsumer waiting for first consumer to be created before binding',
  },
  {
    name: 'a class that waits, with a volume kept for the claim',
    spec: { storageClassName: 'late' },
    classes: late,
    volumes: [volume('v', { storageClassName: 'late', claimRef: kept })],
    expected: 'bind v',
  },
  {
    name: 'a class that waits, and a pod',
    spec: { storageClassName: 'late' },
    classes: late,
    pods: ['p'],
    expected: 'wait Normal WaitForPodScheduled waiting for pod p to be scheduled',
  },
  {
    name: 'a class that waits, and pods',
    spec: { storageClassName: 'late' },
    classes: late,
    pods: ['p', 'q'],
    expected: 'wait Normal WaitForPodScheduled waiting for pods p,q to be scheduled',
  },
  {
    name: 'a class that waits, and a node is chosen',
    spec: { storageClassName: 'late' },
    annotations: { [SELECTED_NODE]: 'n1' },
    classes: late,
    expected: 'provision example.com/late',
  },
  { name: 'a volume by name that is not there', spec: { volumeName: 'v' }, expected: 'wait' },
  { name: 'a volume by name', spec: { volumeName: 'v' }, volumes: [volume('v')], expected: 'bind v' },
  {
    name: 'a volume by name that does not fit',
    spec: { volumeName: 'v' },
    volumes: [volume('v', { capacity: { storage: '1Mi' } })],
    expected: 'wait Warning VolumeMismatch Cannot bind to requested volume "v": requested PV is too small',
  },
  {
    name: 'a volume by name that is another’s',
    spec: { volumeName: 'v' },
    volumes: [volume('v', { claimRef: { ...kept, uid: 'other' } })],
    expected: 'wait Warning FailedBinding volume "v" already bound to a different claim.',
  },
  { name: 'bound', spec: { volumeName: 'v' }, annotations: bound, volumes: [volume('v')], expected: 'bind v' },
  {
    name: 'bound to a volume that is gone',
    spec: { volumeName: 'v' },
    annotations: bound,
    expected: 'lose Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!',
  },
  {
    name: 'bound, and the name taken away',
    annotations: bound,
    expected: 'lose Warning ClaimLost Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
  },
  {
    name: 'bound to what another has',
    spec: { volumeName: 'v' },
    annotations: bound,
    volumes: [volume('v', { claimRef: { ...kept, uid: 'other' } })],
    expected: 'lose Warning ClaimMisbound Two claims are bound to the same volume, this one is bound incorrectly',
  },
];

function told(decision: ClaimDecision): string {
  switch (decision.do) {
    case 'bind':
      return `bind ${decision.volume.metadata.name}`;
    case 'assign-class':
      return `assign-class ${decision.className}`;
    case 'provision':
      return `provision ${decision.provisioner}`;
    default: {
      const { type, reason, message } = decision.notice ?? {};
      return [decision.do, type, reason, message].filter((word) => word !== undefined).join(' ');
    }
  }
}

for (const row of ROWS) {
  test(`a claim: ${row.name}`, () => {
    const { volumes = [], classes = [], pods = [], isDefault } = row;
    const storageClass = (name: string): StorageClass | undefined =>
      classes.find(({ metadata }) => metadata.name === name);
    const view: ClaimView = {
      volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
      candidates: () => volumes,
      storageClass,
      defaultClass: () => (isDefault === undefined ? undefined : storageClass(isDefault)),
      waitingPods: () => pods,
    };
    assert.equal(told(decideClaim(claim(row), view)), row.expected);
  });
}
