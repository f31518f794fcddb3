export { createHeaderCodec } from './header-codec.ts';
export { acceptWebSocket, messagesOf } from './websocket.ts';
