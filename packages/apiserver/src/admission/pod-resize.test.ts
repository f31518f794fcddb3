import { NODES } from '@binnacle/api';
import { admissionTable } from '../testing/admission.ts';
import type { AdmissionCase } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createPodResize } from './pod-resize.ts';

const cache = new MemoryCache();
const allocatable = { cpu: '2', memory: '1Gi' };
cache.put(NODES, { metadata: { name: 'n' }, status: { allocatable } } as never);
cache.put(NODES, {
  metadata: { name: 'w', labels: { 'kubernetes.io/os': 'windows' } },
  status: { allocatable },
} as never);

function pod(requests: object, nodeName = 'n'): object {
  return {
    metadata: { namespace: 'a', name: 'p' },
    spec: { nodeName, containers: [{ name: 'c', resources: { requests } }] },
  };
}

const resize = (object: object, before = pod({})): AdmissionCase => ({
  operation: 'UPDATE',
  resource: 'pods/resize',
  object,
  before,
});

admissionTable(createPodResize(cache), [
  ['fits', resize(pod({ cpu: '2', memory: '1Gi' })), undefined],
  [
    'too much of everything',
    resize(pod({ cpu: '2100m', memory: '2Gi' })),
    'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 2100, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824',
  ],
  ['nothing asked', resize(pod({ cpu: '9' }), pod({ cpu: '9' })), undefined],
  ['no node yet', resize(pod({ cpu: '9' }, '')), undefined],
  ['no such node', resize(pod({ cpu: '9' }, 'x')), 'pods "p" is forbidden: node "x" not found'],
  [
    'another system',
    resize(pod({ cpu: '1' }, 'w')),
    'pods "p" is forbidden: pod resize is only supported on linux nodes, node "w" is "windows"',
  ],
]);
