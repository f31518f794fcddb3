import { deepEqual, quantityMilliValue, quantityValue } from '@binnacle/machinery';
import { NODES, podRequests, wellknown } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

/** A pod that runs is not resized to more than its node could ever give. */
export function createPodResize(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    handles: (operation, info, subresource) =>
      operation === 'UPDATE' && subresource === 'resize' && info.group === '' && info.resource === 'pods',
    validate(attributes) {
      const pod = attributes.object as Pod;
      const nodeName = pod.spec.nodeName ?? '';
      if (nodeName === '' || deepEqual(pod.spec, (attributes.before as Pod).spec)) return;
      const node = cache.get(NODES, '', nodeName) as Node | undefined;
      if (node === undefined) throw refuse(attributes, `node "${nodeName}" not found`);
      const system = node.metadata.labels?.[wellknown.LABEL_OS] ?? 'linux';
      if (system !== 'linux') {
        const why = `pod resize is only supported on linux nodes, node "${nodeName}" is "${system}"`;
        throw refuse(attributes, why, [{ reason: 'UnsupportedPlatform' }]);
      }
      const missing = missingOf(pod, node);
      if (missing === '') return;
      const why = `node didn't have enough allocatable resources: ${missing}`;
      throw refuse(attributes, why, [{ reason: 'NodeCapacity' }]);
    },
  };
}

function missingOf(pod: Pod, { status }: Node): string {
  const requests = podRequests(pod);
  const amounts = [
    ['cpu', quantityMilliValue(status?.allocatable?.['cpu'] ?? '0')],
    ['memory', quantityValue(status?.allocatable?.['memory'] ?? '0')],
  ] as const;
  const missing = amounts.flatMap(([name, allocatable]) => {
    const requested = requests.get(name) ?? 0;
    return requested > allocatable ? [`${name}, requested: ${requested}, allocatable: ${allocatable}`] : [];
  });
  return missing.join('; ');
}
