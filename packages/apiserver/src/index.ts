export { createApiServer, LOOPBACK_USER } from './server.ts';
export type { ApiServer, ApiServerOptions } from './server.ts';
export { createPolicy } from './policy.ts';
export type { NodeConnector, NodeReply, NodeRequest, Policy, PolicyOptions, PolicyWorld, TokenKeys } from './ports.ts';
