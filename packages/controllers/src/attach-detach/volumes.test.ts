import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { attachmentName, holdsVolumes, isManaged, reportedVolumes } from './volumes.ts';

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const status = (state?: ContainerStatus['state']): ContainerStatus => ({
  name: 'c',
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...(state === undefined ? {} : { state }),
});
const [running, ended, waiting] = [
  status({ running: {} }),
  status({ terminated: { exitCode: 0 } }),
  status({ waiting: {} }),
];

// Upstream's IsPodTerminated: a phase is the last word; a pod that goes holds on while any container runs.
const HOLDS: readonly [name: string, metadata: Pod['metadata'], status: Pod['status'], expected: boolean][] = [
  ['nothing is known yet', {}, undefined, true],
  ['it waits', {}, { phase: 'Pending', containerStatuses: [waiting] }, true],
  ['all ended, and may be started again', {}, { phase: 'Running', containerStatuses: [ended] }, true],
  ['succeeded', {}, { phase: 'Succeeded' }, false],
  ['failed while a status says running', {}, { phase: 'Failed', containerStatuses: [running] }, false],
  ['it goes and never ran', going, undefined, false],
  ['it goes and waits', going, { phase: 'Pending', containerStatuses: [waiting] }, false],
  ['it goes, one of two runs', going, { phase: 'Running', containerStatuses: [ended, running] }, true],
  ['it goes, all ended', going, { phase: 'Running', containerStatuses: [ended, ended] }, false],
  ['it goes, an init container runs', going, { initContainerStatuses: [running], containerStatuses: [waiting] }, true],
  ['it goes, an ephemeral container runs', going, { ephemeralContainerStatuses: [running] }, true],
  ['it goes, a status without a state', going, { containerStatuses: [status()] }, true],
];
for (const [name, metadata, podStatus, expected] of HOLDS)
  test(`a pod holds its volumes: ${name}`, () => {
    const pod: Pod = { metadata, spec: { containers: [] }, ...(podStatus === undefined ? {} : { status: podStatus }) };
    assert.equal(holdsVolumes(pod), expected);
  });

const CSI = 'kubernetes.io/csi/d.example^h-1';
test('what nodes report, of CSI drivers alone', () => {
  const names = [CSI, 'kubernetes.io/aws-ebs/vol', 'constructor', ''];
  const volumesAttached = names.map((name) => ({ name, devicePath: '' }));
  assert.deepEqual(reportedVolumes({ metadata: {}, spec: {}, status: { volumesAttached } }), [CSI]);
  assert.deepEqual(reportedVolumes({ metadata: {}, spec: {} }), []);
});

test('an attachment is called by the SHA-256 of handle, driver and node', () => {
  // printf 'h-1d.examplen1' | sha256sum
  const digest = '945afda51abbdb8810ba20233073868dbd118a374efd35190f7bf32930655dd8';
  assert.equal(attachmentName(CSI, 'n1'), `csi-${digest}`);
  assert.equal(attachmentName('kubernetes.io/aws-ebs/vol', 'n1'), '');
});

test('whose kubelet leaves attaching to the controller: the annotation says exactly true', () => {
  const of = (value?: string): boolean =>
    isManaged({
      metadata:
        value === undefined ? {} : { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': value } },
      spec: {},
    });
  assert.deepEqual([undefined, 'true', 'false', 'True', ''].map(of), [false, true, false, false, false]);
});
