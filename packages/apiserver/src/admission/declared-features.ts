import { featuresToUpdate, NODES, undeclaredFeatures } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

/** A pod that has its node is changed only into what the kubelet there says that it can do. */
export function createDeclaredFeatures(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (operation, info, subresource) =>
      operation === 'UPDATE' &&
      (subresource === '' || subresource === 'resize') &&
      info.group === '' &&
      info.resource === 'pods',
    validate(attributes) {
      const pod = attributes.object as Pod;
      const nodeName = pod.spec.nodeName ?? '';
      if (nodeName === '') return;
      const required = featuresToUpdate(pod, attributes.before as Pod);
      if (required.length === 0) return;
      const node = cache.get(NODES, '', nodeName) as Node | undefined;
      if (node === undefined) throw refuse(attributes, `node "${nodeName}" not found`);
      const missing = undeclaredFeatures(required, node).join(', ');
      if (missing === '') return;
      throw refuse(attributes, `pod update requires features ${missing} which are not available on node "${nodeName}"`);
    },
  };
}
