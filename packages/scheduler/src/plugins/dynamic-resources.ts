import type { PluginFactory } from '../handle.ts';
import type { Refusal } from '../plan/framework.ts';
import { OWN_UPDATE } from './queueing-hints.ts';

const UNSUPPORTED: Refusal = {
  plugin: 'DynamicResources',
  reasons: ['this scheduler does not support spec.resourceClaims yet'],
  unresolvable: true,
};

/**
 * Holds back pods with resource claims: nothing here understands them yet, and placing such a pod would silently break
 * a promise to its author. What PostFilter says is upstream's word for "there was nothing to take back".
 */
export const dynamicResources: PluginFactory = {
  name: 'DynamicResources',
  create: () => ({
    name: 'DynamicResources',
    wakesOn: [OWN_UPDATE],
    preFilter: ({ pod }) => ((pod.spec.resourceClaims ?? []).length === 0 ? undefined : { refusal: UNSUPPORTED }),
    postFilter: () => ({ message: 'no new claims to deallocate' }),
  }),
};
