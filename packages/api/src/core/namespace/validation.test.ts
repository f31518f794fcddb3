import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCreate, kindOf, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate } from '../../validate.ts';

const NAMESPACE: Kind = ['', 'Namespace', false];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('namespaces', [
  ['right namespace', 'ValidateNamespace', NAMESPACE, { spec: { finalizers: ['kubernetes'] } }],
  [
    'finalizer of a namespace',
    'validateKubeFinalizerName',
    NAMESPACE,
    { spec: { finalizers: ['foo'] } },
    'spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
  ],
]);

describe('validation of a namespace’s status', () => {
  it('Namespace: phase (ValidateNamespaceStatusUpdate)', () => {
    const before = objectOf(NAMESPACE, {});
    const after = objectOf(NAMESPACE, { status: { phase: 'Terminating' } });
    assert.deepEqual(texts(validateStatusUpdate(kindOf(NAMESPACE), after, before)), [
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });
});
