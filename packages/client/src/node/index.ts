export { createHttpWire } from './http-wire.ts';
export type { HttpWireOptions } from './http-wire.ts';
export type { Environment } from './environment-proxy.ts';
export { environmentProxyOf, loadKubeconfig } from './kubeconfig.ts';
export type { KubeconfigOptions, LoadedKubeconfig } from './kubeconfig.ts';
