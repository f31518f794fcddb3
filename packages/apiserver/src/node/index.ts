/** The door for Node: keys of tokens on disk, the TLS listener, the way to kubelets. */
export { readTlsChoice, TlsChoiceError } from './tls-choice.ts';
export type { TlsChoice } from './tls-choice.ts';
export { AuditLog } from './audit-log.ts';
export type { AuditLogOptions } from './audit-log.ts';
export { createTokenKeys, ensureTokenKeys, readTokenKeys, TokenKeyError } from './token-keys.ts';
export type { KeyFile, TokenKeyFiles } from './token-keys.ts';
export { listen } from './listener.ts';
export type { Listener, ListenerOptions } from './listener.ts';
export { webSocketDesk } from './web-socket-desk.ts';
export { connectNodes, NodeConnectionError } from './node-connector.ts';
export type { NodeConnectorOptions } from './node-connector.ts';
