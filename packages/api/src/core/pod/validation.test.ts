import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Binding } from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateBinding, validateEphemeralContainersUpdate, validatePodTemplateSpec } from './validation.ts';
import { checkSpecs, CONTAINER, podOf, texts } from '../../testing/pod-spec-table.ts';

checkSpecs('a new pod', [
  ['a right pod', 'ValidatePodSpec', {}],
  [
    'ephemeral containers',
    'ValidatePodCreate',
    { ephemeralContainers: [{ ...CONTAINER, name: 'e' }] },
    'spec.ephemeralContainers: Forbidden: cannot be set on create',
  ],
  [
    'a node in spite of gates',
    'ValidatePodCreate',
    { nodeName: 'n', schedulingGates: [{ name: 'g' }] },
    'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  ],
]);

describe('validation of ephemeral containers', () => {
  it('ephemeral containers (ValidatePodEphemeralContainersUpdate)', () => {
    const one = podOf({ ephemeralContainers: [{ ...CONTAINER, name: 'e' }] });
    assert.deepEqual(texts(validateEphemeralContainersUpdate(one, podOf({}))), []);
    assert.deepEqual(texts(validateEphemeralContainersUpdate(podOf({}), one)), [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
    ]);
  });
});

describe('validation of a pod template', () => {
  it('has none (ValidatePodTemplateSpec)', () => {
    const report = new Report();
    const { spec } = podOf({ ephemeralContainers: [{ ...CONTAINER, name: 'e' }] });
    validatePodTemplateSpec({ metadata: { labels: { 'a b': 'c' } }, spec }, fieldPath('spec', 'template'), report);
    assert.deepEqual(
      report.errors.map((error) => error.field),
      ['spec.template.labels', 'spec.template.spec.ephemeralContainers'],
    );
  });
});

describe('validation of a binding', () => {
  it('wants a node (ValidatePodBinding)', () => {
    const binding = (target: object): Binding => ({ metadata: {}, target }) as Binding;
    assert.deepEqual(texts(validateBinding(binding({ kind: 'Node', name: 'n' }))), []);
    assert.deepEqual(texts(validateBinding(binding({ kind: 'Foo' }))), [
      'target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"',
      'target.name: Required value',
    ]);
  });
});
