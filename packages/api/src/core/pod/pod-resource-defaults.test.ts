import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../../draft.ts';
import type { Pod } from '../../generated/core-v1.ts';
import { defaultPod } from './defaults.ts';

function resourcesOf(spec: object): unknown {
  const pod = structuredClone({ metadata: {}, spec }) as unknown as Draft<Pod>;
  defaultPod(pod);
  return pod.spec?.resources;
}

const asking = (requests: object, limits?: object): object => ({
  name: 'c',
  resources: { requests, ...(limits && { limits }) },
});
const TWO = [asking({ cpu: '100m', memory: '64Mi' }), asking({ cpu: '150m' })];

// Provenance: upstream pkg/apis/core/v1/defaults.go, defaultPodRequests and defaultHugePagePodLimits.
describe('defaults of what a pod asks for as a whole', () => {
  const rows: [name: string, spec: object, expected: object | undefined][] = [
    ['nothing said', { containers: TWO }, undefined],
    ['requests only', { containers: TWO, resources: { requests: { cpu: '1' } } }, { requests: { cpu: '1' } }],
    [
      'a limit: what the containers request',
      { containers: TWO, resources: { limits: { cpu: '1' } } },
      { limits: { cpu: '1' }, requests: { cpu: '250m', memory: '64Mi' } },
    ],
    [
      'a limit that no container asks for',
      { containers: [{ name: 'c' }], resources: { limits: { memory: '1Gi' } } },
      { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } },
    ],
    [
      'an init container that needs more',
      {
        containers: TWO,
        initContainers: [{ ...asking({ cpu: '50m' }), restartPolicy: 'Always' }, asking({ cpu: '400m' })],
        resources: { limits: { cpu: '1' } },
      },
      { limits: { cpu: '1' }, requests: { cpu: '450m', memory: '64Mi' } },
    ],
    [
      'huge pages of the containers',
      {
        containers: [asking({ 'hugepages-2Mi': '4Mi' }, { 'hugepages-2Mi': '4Mi' })],
        resources: { requests: { cpu: '1' } },
      },
      { limits: { 'hugepages-2Mi': '4Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
    ],
  ];
  for (const [name, spec, expected] of rows) it(name, () => assert.deepEqual(resourcesOf(spec), expected));
});
