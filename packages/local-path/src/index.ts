export { startLocalPath } from './local-path.ts';
export type { LocalPathOptions } from './local-path.ts';
export { PROVISIONER } from './names.ts';
export type { Directories } from './provisioner.ts';
