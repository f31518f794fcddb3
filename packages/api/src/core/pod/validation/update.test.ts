import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validatePodUpdate } from '../validation.ts';
import { CONTAINER, container, podOf, texts } from '../../../testing/pod-spec-table.ts';

// Provenance: upstream pkg/apis/core/validation/validation.go.
describe('validation of a changed pod', () => {
  const rows: [name: string, upstream: string, before: object, after: object, ...errors: string[]][] = [
    ['nothing', 'ValidatePodUpdate', {}, {}],
    ['an image', 'ValidatePodUpdate', {}, container({ image: 'busybox:2' })],
    ['a deadline', 'ValidatePodUpdate', {}, { activeDeadlineSeconds: 5 }],
    [
      'a later deadline',
      'ValidatePodUpdate',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 6 },
      'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
    ],
    [
      'no deadline any more',
      'ValidatePodUpdate',
      { activeDeadlineSeconds: 5 },
      {},
      'spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value',
    ],
    ['one more toleration', 'validateOnlyAddedTolerations', {}, { tolerations: [{ operator: 'Exists' }] }],
    [
      'one toleration less',
      'validateOnlyAddedTolerations',
      { tolerations: [{ operator: 'Exists' }] },
      {},
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'a container more',
      'ValidateContainerUpdates',
      {},
      { containers: [CONTAINER, { ...CONTAINER, name: 'd' }] },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      'a new gate',
      'validateOnlyDeletedSchedulingGates',
      {},
      { schedulingGates: [{ name: 'g' }] },
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'",
    ],
    ['a gate less', 'validateOnlyDeletedSchedulingGates', { schedulingGates: [{ name: 'g' }] }, {}],
    [
      'a gated pod narrowed',
      'validateNodeSelectorMutation',
      { schedulingGates: [{ name: 'g' }] },
      { nodeSelector: { a: 'b' } },
    ],
  ];
  for (const [name, upstream, before, after, ...errors] of rows) {
    it(`${name} (${upstream})`, () => {
      assert.deepEqual(texts(validatePodUpdate(podOf(after), podOf(before))), errors);
    });
  }

  it('anything else (ValidatePodUpdate)', () => {
    const [error] = validatePodUpdate(podOf(container({ command: ['b'] })), podOf(container({ command: ['a'] })));
    assert.equal(error?.field, 'spec');
    assert.equal(
      error?.detail,
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n- containers[0].command[0]: "a"\n+ containers[0].command[0]: "b"',
    );
  });
});
