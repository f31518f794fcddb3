export { createApiServer, LOOPBACK_USER } from './server.ts';
export type { ApiServer, ApiServerOptions } from './server.ts';
export { createPolicy } from './policy.ts';
export type { NodeConnector, NodeReply, NodeRequest } from './ports/nodes.ts';
export type { Policy, PolicyOptions, PolicyWorld } from './ports/policy.ts';
export type { TokenKeys } from './ports/token-keys.ts';
