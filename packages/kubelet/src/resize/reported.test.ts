import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import type { LinuxResources } from '@binnacle/runtime';
import { reportedResources } from './reported.ts';

const rows: readonly [string, ResourceRequirements, LinuxResources, ResourceRequirements][] = [
  [
    'the same amount keeps its words',
    { requests: { cpu: '0.1', memory: '1Gi' }, limits: { cpu: '0.2', memory: '1024Mi' } },
    { cpuShares: 102, cpuQuota: 20_000, cpuPeriod: 100_000, memoryLimitBytes: 2 ** 30 },
    { requests: { cpu: '0.1', memory: '1Gi' }, limits: { cpu: '0.2', memory: '1024Mi' } },
  ],
  [
    'what it has is something else',
    { requests: { cpu: '200m', memory: '2Gi' }, limits: { cpu: '1', memory: '2Gi' } },
    { cpuShares: 102, cpuQuota: 50_000, cpuPeriod: 100_000, memoryLimitBytes: 2 ** 30 },
    { requests: { cpu: '100m', memory: '2Gi' }, limits: { cpu: '500m', memory: '1Gi' } },
  ],
  [
    'below what the kernel tells apart',
    { requests: { cpu: '1m' }, limits: { cpu: '5m' } },
    { cpuShares: 2, cpuQuota: 1_000, cpuPeriod: 100_000 },
    { requests: { cpu: '1m' }, limits: { cpu: '5m' } },
  ],
  [
    'not below any more, by what it has',
    { requests: { cpu: '1m' }, limits: { cpu: '5m' } },
    { cpuShares: 1024, cpuQuota: 100_000, cpuPeriod: 100_000 },
    { requests: { cpu: '1' }, limits: { cpu: '1' } },
  ],
  ['nothing is told', { requests: { cpu: '1' }, limits: {} }, {}, { requests: { cpu: '1' }, limits: {} }],
  ['nothing was given', {}, { cpuShares: 2 }, {}],
  [
    'no CPU was asked for: a weight is not a request',
    { requests: { memory: '1Gi' } },
    { cpuShares: 2048 },
    { requests: { memory: '1Gi' } },
  ],
];
for (const [name, given, actual, wanted] of rows)
  test(`reported: ${name}`, () => assert.deepEqual(reportedResources(given, actual), wanted));
