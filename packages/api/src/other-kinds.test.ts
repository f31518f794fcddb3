import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from './kinds.ts';

// Values: upstream pkg/apis/<group>/v1/defaults.go, v1.36.
describe('defaults of the smaller groups', () => {
  const template = { metadata: { labels: { a: 'b' } } };
  const rows: [name: string, group: string, kind: string, given: object, expected: object][] = [
    [
      'job',
      'batch',
      'Job',
      { metadata: {}, spec: { template } },
      {
        metadata: { labels: { a: 'b' } },
        spec: {
          template,
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          suspend: false,
          manualSelector: false,
          podReplacementPolicy: 'TerminatingOrFailed',
        },
      },
    ],
    [
      'job of a queue, limits per index',
      'batch',
      'Job',
      { metadata: { labels: { x: 'y' } }, spec: { template, parallelism: 3, backoffLimitPerIndex: 1 } },
      {
        metadata: { labels: { x: 'y' } },
        spec: {
          template,
          parallelism: 3,
          backoffLimitPerIndex: 1,
          backoffLimit: 2147483647,
          completionMode: 'NonIndexed',
          suspend: false,
          manualSelector: false,
          podReplacementPolicy: 'TerminatingOrFailed',
        },
      },
    ],
    [
      'cron job',
      'batch',
      'CronJob',
      { metadata: {}, spec: { schedule: '* * * * *' } },
      {
        metadata: {},
        spec: {
          schedule: '* * * * *',
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        },
      },
    ],
    [
      'autoscaler',
      'autoscaling',
      'HorizontalPodAutoscaler',
      { metadata: {}, spec: { maxReplicas: 3, behavior: { scaleDown: { selectPolicy: 'Min' } } } },
      {
        metadata: {},
        spec: {
          maxReplicas: 3,
          minReplicas: 1,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          ],
          behavior: {
            scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: 'Max',
              policies: [
                { type: 'Pods', value: 4, periodSeconds: 15 },
                { type: 'Percent', value: 100, periodSeconds: 15 },
              ],
            },
          },
        },
      },
    ],
    [
      'network policy',
      'networking.k8s.io',
      'NetworkPolicy',
      { metadata: {}, spec: { egress: [{ ports: [{ port: 80 }] }] } },
      {
        metadata: {},
        spec: { egress: [{ ports: [{ port: 80, protocol: 'TCP' }] }], policyTypes: ['Ingress', 'Egress'] },
      },
    ],
    [
      'storage class',
      'storage.k8s.io',
      'StorageClass',
      { metadata: {} },
      { metadata: {}, reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    ],
    [
      'CSI driver',
      'storage.k8s.io',
      'CSIDriver',
      { metadata: {}, spec: {} },
      {
        metadata: {},
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          storageCapacity: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          volumeLifecycleModes: ['Persistent'],
          requiresRepublish: false,
          seLinuxMount: false,
        },
      },
    ],
    [
      'mutating webhook',
      'admissionregistration.k8s.io',
      'MutatingWebhookConfiguration',
      { metadata: {}, webhooks: [{ rules: [{}], clientConfig: { service: { name: 's' } } }] },
      {
        metadata: {},
        webhooks: [
          {
            rules: [{ scope: '*' }],
            clientConfig: { service: { name: 's', port: 443 } },
            failurePolicy: 'Fail',
            matchPolicy: 'Equivalent',
            namespaceSelector: {},
            objectSelector: {},
            timeoutSeconds: 10,
            reinvocationPolicy: 'Never',
          },
        ],
      },
    ],
    [
      'validating policy',
      'admissionregistration.k8s.io',
      'ValidatingAdmissionPolicy',
      { metadata: {}, spec: { matchConstraints: { resourceRules: [{}] } } },
      {
        metadata: {},
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [{ scope: '*' }],
            matchPolicy: 'Equivalent',
            namespaceSelector: {},
            objectSelector: {},
          },
        },
      },
    ],
    [
      'custom resource definition',
      'apiextensions.k8s.io',
      'CustomResourceDefinition',
      {
        metadata: {},
        spec: { names: { kind: 'Foo', plural: 'foos' }, versions: [{ name: 'v1', storage: true }] },
        status: {},
      },
      {
        metadata: {},
        spec: {
          names: { kind: 'Foo', plural: 'foos', singular: 'foo', listKind: 'FooList' },
          versions: [{ name: 'v1', storage: true }],
          conversion: { strategy: 'None' },
        },
        status: { storedVersions: ['v1'] },
      },
    ],
    [
      'API service',
      'apiregistration.k8s.io',
      'APIService',
      { metadata: {}, spec: { service: { name: 's' } } },
      { metadata: {}, spec: { service: { name: 's', port: 443 } } },
    ],
    [
      'priority level',
      'flowcontrol.apiserver.k8s.io',
      'PriorityLevelConfiguration',
      { metadata: {}, spec: { limited: { limitResponse: { queuing: {} } } } },
      {
        metadata: {},
        spec: {
          limited: {
            nominalConcurrencyShares: 30,
            lendablePercent: 0,
            limitResponse: { queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
          },
        },
      },
    ],
  ];
  for (const [name, group, kind, given, expected] of rows) {
    it(name, () => {
      const draft = structuredClone(given) as KubeObject;
      kindRules(group, kind).defaults?.(draft);
      assert.deepEqual(draft, expected);
      kindRules(group, kind).defaults?.(draft);
      assert.deepEqual(draft, expected);
    });
  }
});
