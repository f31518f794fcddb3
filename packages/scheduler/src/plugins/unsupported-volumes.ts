import type { PluginFactory } from '../handle.ts';
import type { Refusal } from '../plan/framework.ts';
import { OWN_UPDATE } from './queueing-hints.ts';

const UNSUPPORTED: Refusal = {
  plugin: 'VolumeBinding',
  reasons: ['this scheduler does not support spec.volumes (persistentVolumeClaim or ephemeral) yet'],
  unresolvable: true,
};

/** Holds back pods with claims for volumes until they are understood. */
export const unsupportedVolumes: PluginFactory = {
  name: 'VolumeBinding',
  create: () => ({
    name: 'VolumeBinding',
    wakesOn: [OWN_UPDATE],
    preFilter: ({ pod }) =>
      (pod.spec.volumes ?? []).some((v) => v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined)
        ? { refusal: UNSUPPORTED }
        : undefined,
  }),
};
