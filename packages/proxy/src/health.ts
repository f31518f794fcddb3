import { formatTime } from '@binnacle/base';
import type { RuleReport } from './rule-keeper.ts';

/** An answer over HTTP. */
export interface HealthReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What a proxy answers about itself (`/healthz`, `/livez`, `/metrics`); undefined: no such page. */
export function answerAboutProxy(path: string, report: RuleReport, nowMs: number): HealthReply | undefined {
  if (path === '/metrics')
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: metrics(report) };
  if (path !== '/healthz' && path !== '/livez') return undefined;
  const { syncedAt, failing } = report;
  const body = JSON.stringify({
    lastUpdated: syncedAt === undefined ? '' : formatTime(syncedAt),
    currentTime: formatTime(nowMs),
    nodeEligible: true,
  });
  return { status: syncedAt === undefined || failing ? 503 : 200, type: 'application/json', body };
}

function metrics({ syncedAt, syncs, failures, refused }: RuleReport): string {
  const told = [
    [
      'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
      'gauge',
      'The last time that rules were as they should be',
      (syncedAt ?? 0) / 1000,
    ],
    [
      'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
      'counter',
      'Times that the machine did not take rules',
      failures,
    ],
    ['binnacle_proxy_syncs_total', 'counter', 'Times that the machine took rules', syncs],
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
