import { NODES } from '@binnacle/api';
import { admissionTable } from '../testing/admission.ts';
import type { AdmissionCase } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createDeclaredFeatures } from './declared-features.ts';

const POD_LEVEL = 'InPlacePodLevelResourcesVerticalScaling';
const INIT = 'InPlacePodVerticalScalingInitContainers';
const cache = new MemoryCache();
for (const [name, declaredFeatures] of [
  ['none', undefined],
  ['one', [POD_LEVEL]],
  ['both', [POD_LEVEL, INIT]],
] as const) {
  cache.put(NODES, { metadata: { name }, status: { declaredFeatures } } as never);
}

/** A pod that asks for so much CPU as a whole and in an init container. */
function pod(nodeName: string, whole: string, init = '1'): object {
  const asking = (cpu: string): object => ({ requests: { cpu } });
  const initContainers = [{ name: 'i', resources: asking(init) }];
  return {
    metadata: { namespace: 'a', name: 'p' },
    spec: { nodeName, resources: asking(whole), initContainers, containers: [{ name: 'c' }] },
  };
}

const update = (nodeName: string, after: readonly [string, string?], resource = 'pods/resize'): AdmissionCase => ({
  operation: 'UPDATE',
  resource,
  object: pod(nodeName, ...after),
  before: pod(nodeName, '1'),
});
const refusal = (features: string, node: string): string =>
  `pods "p" is forbidden: pod update requires features ${features} which are not available on node "${node}"`;

admissionTable(createDeclaredFeatures(cache), [
  ['nothing new', update('none', ['1']), undefined],
  ['nothing new, and no such node', update('gone', ['1']), undefined],
  ['the pod as a whole', update('none', ['2']), refusal(POD_LEVEL, 'none')],
  ['an init container', update('none', ['1', '2']), refusal(INIT, 'none')],
  ['both', update('none', ['2', '2']), refusal(`${POD_LEVEL}, ${INIT}`, 'none')],
  ['one of them is declared', update('one', ['2', '2']), refusal(INIT, 'one')],
  ['declared', update('both', ['2', '2']), undefined],
  ['by an update of the pod itself', update('none', ['2'], 'pods'), refusal(POD_LEVEL, 'none')],
  ['by another part', update('none', ['2'], 'pods/status'), undefined],
  ['no node yet', update('', ['2', '2']), undefined],
  ['no such node', update('gone', ['2']), 'pods "p" is forbidden: node "gone" not found'],
  ['a new pod', { operation: 'CREATE', resource: 'pods', object: pod('none', '2') }, undefined],
]);
