import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod, PodSpec } from '../../generated/core-v1.ts';
import { podQosClass } from './qos.ts';

const container = (requests?: object, limits?: object): object => ({ name: 'c', resources: { requests, limits } });
const FULL = { cpu: '1', memory: '1Gi' };

describe('quality of service', () => {
  const rows: [name: string, spec: object, expected: string][] = [
    ['nothing', { containers: [container()] }, 'BestEffort'],
    ['zero is nothing', { containers: [container({ cpu: '0' })] }, 'BestEffort'],
    ['disk does not count', { containers: [container({ 'ephemeral-storage': '1Gi' })] }, 'BestEffort'],
    ['requests are limits', { containers: [container(FULL, FULL)] }, 'Guaranteed'],
    [
      'the same amount in other words',
      { containers: [container({ cpu: '1000m', memory: '1Gi' }, FULL)] },
      'Guaranteed',
    ],
    ['less than the limit', { containers: [container({ cpu: '500m', memory: '1Gi' }, FULL)] }, 'Burstable'],
    ['no memory limit', { containers: [container(FULL, { cpu: '1' })] }, 'Burstable'],
    ['one of two', { containers: [container(FULL, FULL), container()] }, 'Burstable'],
    ['an init container without', { containers: [container(FULL, FULL)], initContainers: [container()] }, 'Burstable'],
    ['the pod as a whole', { containers: [container()], resources: { requests: FULL, limits: FULL } }, 'Guaranteed'],
  ];
  for (const [name, spec, expected] of rows) {
    it(name, () => assert.equal(podQosClass({ metadata: {}, spec: spec as PodSpec } as Pod), expected));
  }
});
