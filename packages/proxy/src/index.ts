/** The door of proxy: Services and their endpoints in, a node's rules out. */
export { rulesOfService } from './service-rules.ts';
export type { RuleNode } from './service-rules.ts';
export { ServiceTable } from './service-table.ts';
export type { RuleChanges } from './service-table.ts';
export { runProxy } from './run-proxy.ts';
export type { ProxyOptions, ProxyReport, RunningProxy } from './run-proxy.ts';
export { readProxyConfiguration } from './config.ts';
export type { ProxyConfiguration } from './config.ts';
export { ProxyConfigError } from './errors.ts';
export { answerAboutProxy } from './health.ts';
export type { HealthReply } from './health.ts';
