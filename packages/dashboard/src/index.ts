export type { Asked, Told } from './frames.ts';
export { Sessions } from './sessions.ts';
export type { Login, OpenWire, Session } from './sessions.ts';
