export { createHttpWire } from './http-wire.ts';
export type { HttpWireOptions } from './http-wire.ts';
export { loadKubeconfig } from './kubeconfig.ts';
export type { KubeconfigOptions, LoadedKubeconfig } from './kubeconfig.ts';
