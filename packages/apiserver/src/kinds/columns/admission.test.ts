import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

// Upstream: pkg/printers/internalversion/printers.go.
const ROWS: readonly TableRow[] = [
  [
    'webhooks',
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
    { metadata: meta(), webhooks: [{}, {}] },
    ['x', 2, '90s'],
  ],
  ['no webhooks', 'mutatingwebhookconfigurations.admissionregistration.k8s.io', { metadata: meta() }, ['x', 0, '90s']],
  [
    'a policy',
    'validatingadmissionpolicies.admissionregistration.k8s.io',
    { metadata: meta(), spec: { validations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
    ['x', 1, 'v1/ConfigMap', '90s'],
  ],
  [
    'a policy that changes',
    'mutatingadmissionpolicies.admissionregistration.k8s.io',
    { metadata: meta(), spec: { mutations: [{}, {}] } },
    ['x', 2, '<unset>', '90s'],
  ],
  [
    'a binding',
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    { metadata: meta(), spec: { policyName: 'p', paramRef: { name: 'c', namespace: 'n' } } },
    ['x', 'p', 'n/c', '90s'],
  ],
  [
    'a binding by name alone',
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    { metadata: meta(), spec: { policyName: 'p', paramRef: { name: 'c' } } },
    ['x', 'p', '*/c', '90s'],
  ],
  [
    'a binding by labels',
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    { metadata: meta(), spec: { policyName: 'p', paramRef: { selector: { matchLabels: { a: 'b' } } } } },
    ['x', 'p', 'a=b', '90s'],
  ],
  [
    'a binding without parameters',
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    { metadata: meta(), spec: { policyName: 'p' } },
    ['x', 'p', '<unset>', '90s'],
  ],
  [
    'a group of the server itself',
    'apiservices.apiregistration.k8s.io',
    { metadata: meta(), spec: {} },
    ['x', 'Local', 'Unknown', '90s'],
  ],
  [
    'a group that cannot be reached',
    'apiservices.apiregistration.k8s.io',
    {
      metadata: meta(),
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }] },
    },
    ['x', 'n/s', 'False (MissingEndpoints)', '90s'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
