import type { Descriptor } from './channel.ts';

const LOADERS = {
  csi: () => import('./generated/csi-v1-descriptor.json', { with: { type: 'json' } }),
  registration: () => import('./generated/pluginregistration-v1-descriptor.json', { with: { type: 'json' } }),
  devices: () => import('./generated/deviceplugin-v1beta1-descriptor.json', { with: { type: 'json' } }),
  podResources: () => import('./generated/podresources-v1-descriptor.json', { with: { type: 'json' } }),
  keyService: () => import('./generated/kms-v2-descriptor.json', { with: { type: 'json' } }),
  dra: () => import('./generated/dra-v1-descriptor.json', { with: { type: 'json' } }),
  draBeta: () => import('./generated/dra-v1beta1-descriptor.json', { with: { type: 'json' } }),
} as const;

/**
 * A protocol between a kubelet and its plugins (CSI v1, plugin registration v1, device plugins v1beta1, pod resources v1,
 * DRA v1 and v1beta1), or between an API server and the keeper of its keys (KMS v2).
 */
export type ProtocolName = keyof typeof LOADERS;

/** The services and messages of a protocol: names and numbers as on the wire. */
export async function describe(name: ProtocolName): Promise<Descriptor> {
  return (await LOADERS[name]()).default;
}
