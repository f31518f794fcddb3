import { type Descriptor, loadChannelModules } from '@binnacle/grpc';
import { CONTAINERD_EVENTS_DESCRIPTOR } from './containerd-events-descriptor.ts';

/** CRI, and what of containerd's own services CRI lacks. */
export async function loadCriDescriptors(): Promise<readonly Descriptor[]> {
  const cri = await import('../generated/cri-v1-descriptor.json', { with: { type: 'json' } });
  return [cri.default, CONTAINERD_EVENTS_DESCRIPTOR];
}

/** Loads gRPC and the messages ahead of the first connection, while something else is awaited. */
export async function loadCriModules(): Promise<void> {
  await Promise.all([loadChannelModules(), loadCriDescriptors()]);
}
