import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validatePod, validatePodUpdate } from '../validation.ts';
import { podOf, texts } from '../../../testing/pod-spec-table.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

// Provenance: upstream ValidatePodSpecificAnnotations and ValidatePodSpecificAnnotationUpdates.
describe('validation of annotations with a meaning', () => {
  const rows: [name: string, annotations: object, ...errors: string[]][] = [
    [
      'mirror without a node',
      { [MIRROR]: 'x' },
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ],
    [
      'cost of deletion',
      { 'controller.kubernetes.io/pod-deletion-cost': '+1' },
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
    ],
    ['negative cost of deletion', { 'controller.kubernetes.io/pod-deletion-cost': '-100' }],
    [
      'seccomp',
      { 'seccomp.security.alpha.kubernetes.io/pod': 'foo' },
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "foo": must be a valid seccomp profile',
    ],
    [
      'AppArmor of nobody',
      { [`${APPARMOR}x`]: 'foo' },
      `metadata.annotations[${APPARMOR}x]: Invalid value: "x": container not found`,
      `metadata.annotations[${APPARMOR}x]: Invalid value: "foo": invalid AppArmor profile name: "foo"`,
    ],
    ['AppArmor', { [`${APPARMOR}c`]: 'localhost/foo' }],
  ];
  for (const [name, annotations, ...errors] of rows) {
    it(name, () => assert.deepEqual(texts(validatePod(podOf({}, { annotations }))), errors));
  }

  const changes: [name: string, before: object, after: object, ...errors: string[]][] = [
    [
      'mirror added',
      {},
      { [MIRROR]: 'x' },
      `metadata.annotations[${MIRROR}]: Forbidden: may not add mirror pod annotation`,
    ],
    [
      'mirror changed',
      { [MIRROR]: 'x' },
      { [MIRROR]: 'y' },
      `metadata.annotations[${MIRROR}]: Forbidden: may not remove or update mirror pod annotation`,
    ],
    [
      'AppArmor removed',
      { [`${APPARMOR}c`]: 'unconfined' },
      {},
      `metadata.annotations[${APPARMOR}c]: Forbidden: may not remove or update AppArmor annotations`,
    ],
    ['any other', {}, { a: 'b' }],
  ];
  for (const [name, before, after, ...errors] of changes) {
    it(name, () => {
      const spec = { nodeName: 'n' };
      const [pod, old] = [podOf(spec, { annotations: after }), podOf(spec, { annotations: before })];
      assert.deepEqual(texts(validatePodUpdate(pod, old)), errors);
    });
  }
});
