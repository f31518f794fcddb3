/** The door of proxy: Services and their endpoints in, a node's rules out. */
export { rulesOfService } from './service-rules.ts';
export type { RuleNode } from './service-rules.ts';
export { ServiceTable } from './service-table.ts';
export type { RuleChanges } from './service-table.ts';
export { runProxy } from './run-proxy.ts';
export type { ProxyOptions, ProxyReport, RunningProxy } from './run-proxy.ts';
