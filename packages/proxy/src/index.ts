/** The door of proxy: Services and their endpoints in, a node's rules out. */
export { rulesOfService } from './service-rules.ts';
export type { RuleNode } from './service-rules.ts';
export { ServiceTable } from './service-table.ts';
export type { RuleChanges } from './service-table.ts';
export { runPodRoutes } from './run-pod-routes.ts';
export type { PodRouteOptions, RunningPodRoutes } from './run-pod-routes.ts';
export { runProxy } from './run-proxy.ts';
export type { ProxyOptions, RunningProxy } from './run-proxy.ts';
export type { RuleReport } from './rule-keeper.ts';
/** NetworkPolicies and pods in, who may talk with a node's pods out. */
export { PolicyTable } from './policies/policy-table.ts';
export { runPolicies } from './policies/run-policies.ts';
export type { PolicyOptions, RunningPolicies } from './policies/run-policies.ts';
export { readProxyConfiguration } from './config.ts';
export type { ProxyConfiguration } from './config.ts';
/** What a KubeProxyConfiguration makes of the kernel's table of connections. */
export { conntrackSettings } from './conntrack.ts';
export type { ConntrackConfiguration, KernelSetting } from './conntrack.ts';
export { ProxyConfigError } from './errors.ts';
/** What is answered about a proxy: its health to everybody, its figures to whoever may ask for them. */
export { answerAboutHealth, answerAboutWork } from './health.ts';
export type { HealthReply, ProxyState } from './health.ts';
/** What load balancers ask a node about its endpoints. */
export { answerHealthCheck } from './health-checks.ts';
export type { HealthCheck, HealthCheckPorts } from './health-checks.ts';
