export { openLocalStream } from './local-upgrade.ts';
export type { LocalAnswer, LocalUpgrade } from './local-upgrade.ts';
export { createHostFiles } from './files.ts';
export { serveKubelet } from './https-server.ts';
export type { KubeletServerOptions } from './https-server.ts';
export { readMachine } from './machine.ts';
export type { MachineOptions } from './machine.ts';
export { nodeNetworkProbe } from './network-probe.ts';
