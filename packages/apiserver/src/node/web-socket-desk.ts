import { acceptLocalWebSocket, createHeaderCodec } from '@binnacle/streams/node';
import type { WebSocketDesk } from '../ports/web-sockets.ts';

/** By the library `ws`, which is loaded with the first one, and zlib. */
export const webSocketDesk: WebSocketDesk = { accept: acceptLocalWebSocket, createCodec: createHeaderCodec };
