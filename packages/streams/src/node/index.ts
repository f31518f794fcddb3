export { createHeaderCodec } from './header-codec.ts';
export { acceptLocalWebSocket } from './local-websocket.ts';
export type { Handshake, LocalWebSocket } from './local-websocket.ts';
export { readUpgradeHead } from './upgrade-head.ts';
export type { UpgradeHead } from './upgrade-head.ts';
export { acceptWebSocket, messagesOf } from './websocket.ts';
