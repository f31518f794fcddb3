import { formatTime } from '@binnacle/base';
import type { ConfiguredMode } from './config.ts';
import type { RuleReport } from './rule-keeper.ts';

/** An answer over HTTP. */
export interface HealthReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What of a proxy is asked about. */
export interface ProxyState {
  readonly report: RuleReport;
  /** Load balancers may send new connections to its node: it is not about to go. */
  readonly nodeEligible: boolean;
}

/** So long may the machine lack what is wanted: twice upstream's `syncPeriod`. A refusal that the next try mends is no illness. */
const PENDING_MS_MAX = 60_000;

const TEXT = 'text/plain; charset=utf-8';
const METRICS = 'text/plain; version=0.0.4; charset=utf-8';

/** Whether a proxy keeps up with what is wanted. */
export function isProxyHealthy({ pendingSince }: RuleReport, nowMs: number): boolean {
  return pendingSince === undefined || nowMs - pendingSince < PENDING_MS_MAX;
}

/**
 * What a proxy answers to whoever asks about its health: `/healthz`, which a load balancer asks before it sends to the node, and
 * `/livez`, about the proxy alone. Undefined: no such page.
 */
export function answerAboutHealth(
  path: string,
  { report, nodeEligible }: ProxyState,
  nowMs: number,
): HealthReply | undefined {
  if (path !== '/healthz' && path !== '/livez') return undefined;
  const isHealthy = isProxyHealthy(report, nowMs) && (path === '/livez' || nodeEligible);
  // Of a healthy one it is always of now, as upstream's: who looks for old times finds those that lag behind.
  const { syncedAt } = report;
  const lastUpdated = isHealthy ? formatTime(nowMs) : syncedAt === undefined ? '' : formatTime(syncedAt);
  const told = { lastUpdated, currentTime: formatTime(nowMs), ...(path === '/livez' ? {} : { nodeEligible }) };
  return { status: isHealthy ? 200 : 503, type: 'application/json', body: JSON.stringify(told) };
}

/** What a proxy answers where its figures are asked for: `/metrics`, `/proxyMode`, `/healthz`. Undefined: no such page. */
export function answerAboutWork(path: string, report: RuleReport, mode: ConfiguredMode): HealthReply | undefined {
  switch (path) {
    case '/metrics':
      return { status: 200, type: METRICS, body: metrics(report, mode) };
    case '/proxyMode':
      return { status: 200, type: TEXT, body: mode };
    case '/healthz':
      return { status: 200, type: TEXT, body: 'ok' };
    default:
      return undefined;
  }
}

/** Upstream counts refusals by what refuses; IPVS is set up by iptables too. */
const FAILURES: Readonly<Record<ConfiguredMode, string>> = {
  nftables: 'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
  iptables: 'kubeproxy_sync_proxy_rules_iptables_restore_failures_total',
  ipvs: 'kubeproxy_sync_proxy_rules_iptables_restore_failures_total',
};

function metrics({ syncedAt, syncs, failures, lastSyncMs, refused }: RuleReport, mode: ConfiguredMode): string {
  const told = [
    [
      'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
      'gauge',
      'The last time that rules were as they should be',
      (syncedAt ?? 0) / 1000,
    ],
    [FAILURES[mode], 'counter', 'Times that the machine did not take rules', failures],
    ['binnacle_proxy_syncs_total', 'counter', 'Times that the machine took rules', syncs],
    [
      'binnacle_proxy_last_sync_seconds',
      'gauge',
      'How long the machine took for them the last time',
      lastSyncMs / 1000,
    ],
    [
      'binnacle_proxy_refused_rules',
      'gauge',
      'Ports of Services that the machine does not take, while it takes all others',
      refused,
    ],
  ] as const;
  return told
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join('');
}
