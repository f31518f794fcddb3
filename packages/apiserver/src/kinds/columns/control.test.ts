import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';
import { autoscalerV1Printer } from './control.ts';

// Upstream: pkg/printers/internalversion/printers.go.
const ROWS: readonly TableRow[] = [
  [
    'a scaler of nothing',
    'horizontalpodautoscalers.autoscaling',
    { metadata: meta(), spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 } },
    ['x', 'Deployment/d', '<none>', '<unset>', 3, 0, '90s'],
  ],
  [
    'a scaler by use',
    'horizontalpodautoscalers.autoscaling',
    {
      metadata: meta(),
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
      status: {
        currentReplicas: 2,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 70 } } }],
      },
    },
    ['x', 'Deployment/d', 'cpu: 70%/80%', '1', 3, 2, '90s'],
  ],
  [
    'a scaler by many',
    'horizontalpodautoscalers.autoscaling',
    {
      metadata: meta(),
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        metrics: [
          { type: 'Pods', pods: { metric: { name: 'm' }, target: { averageValue: '1k' } } },
          { type: 'External', external: { metric: { name: 'm' }, target: { averageValue: '5' } } },
          { type: 'Object', object: { metric: { name: 'm' }, target: { value: '5' } } },
        ],
      },
      status: { currentMetrics: [{ type: 'Pods', pods: { current: { averageValue: '500' } } }] },
    },
    ['x', 'Deployment/d', '500/1k, <unknown>/5 (avg) + 1 more...', '<unset>', 3, 0, '90s'],
  ],
  [
    'a request that waits',
    'certificatesigningrequests.certificates.k8s.io',
    { metadata: meta(), spec: { signerName: 'a.b/c', username: 'eve' } },
    ['x', '90s', 'a.b/c', 'eve', '<none>', 'Pending'],
  ],
  [
    'a request that was granted',
    'certificatesigningrequests.certificates.k8s.io',
    {
      metadata: meta(),
      spec: { signerName: 'a.b/c', username: 'eve', expirationSeconds: 86400 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'x' },
    },
    ['x', '90s', 'a.b/c', 'eve', '24h', 'Approved,Issued'],
  ],
  [
    'a request that failed',
    'certificatesigningrequests.certificates.k8s.io',
    {
      metadata: meta(),
      spec: { signerName: 'a.b/c' },
      status: { conditions: [{ type: 'Approved' }, { type: 'Failed' }, { type: 'Denied' }] },
    },
    ['x', '90s', 'a.b/c', '', '<none>', 'Denied,Failed'],
  ],
  [
    'a bundle of a signer',
    'clustertrustbundles.certificates.k8s.io',
    { metadata: meta(), spec: { signerName: 'a.b/c', trustBundle: 'x' } },
    ['x', 'a.b/c'],
  ],
  [
    'a bundle of nobody',
    'clustertrustbundles.certificates.k8s.io',
    { metadata: meta(), spec: { trustBundle: 'x' } },
    ['x', '<none>'],
  ],
  [
    'a flow schema',
    'flowschemas.flowcontrol.apiserver.k8s.io',
    {
      metadata: meta(),
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        matchingPrecedence: 7,
        distinguisherMethod: { type: 'ByUser' },
      },
      status: { conditions: [{ type: 'Dangling', status: 'False' }] },
    },
    ['x', 'p', 7, 'ByUser', '90s', 'False'],
  ],
  [
    'a flow schema nobody looked at',
    'flowschemas.flowcontrol.apiserver.k8s.io',
    { metadata: meta(), spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 7 } },
    ['x', 'p', 7, '<none>', '90s', '?'],
  ],
  [
    'an exempt level',
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    { metadata: meta(), spec: { type: 'Exempt' } },
    ['x', 'Exempt', '<none>', '<none>', '<none>', '<none>', '90s'],
  ],
  [
    'a limited level',
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    {
      metadata: meta(),
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 30,
          limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        },
      },
    },
    ['x', 'Limited', 30, 64, 8, 50, '90s'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}

test('a scaler in the older version is shown as in the newer one', () => {
  const scaler = {
    metadata: meta(),
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
    status: { currentReplicas: 2, desiredReplicas: 2, currentCPUUtilizationPercentage: 70 },
  } as unknown as KubeObject;
  const now = Date.parse(scaler.metadata.creationTimestamp ?? '') + 90_000;
  const shown = autoscalerV1Printer.row(scaler, now);
  assert.deepEqual(shown, ['x', 'Deployment/d', 'cpu: 70%/80%', '1', 3, 2, '90s']);
});
