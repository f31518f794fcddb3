import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAboutHealth, answerAboutWork } from './health.ts';

const NOW = 1_700_000_100_000;
const GOOD = { syncedAt: 1_700_000_000_000, syncs: 3, failures: 1, lastSyncMs: 5, pendingSince: undefined, refused: 2 };

const ASKED: readonly (readonly [
  name: string,
  pendingSince: number | undefined,
  nodeEligible: boolean,
  healthz: number,
  livez: number,
])[] = [
  ['all is there', undefined, true, 200, 200],
  ['a change that came just now', NOW - 1000, true, 200, 200],
  ['a change that the machine has not had for a minute', NOW - 60_000, true, 503, 503],
  ['a node that is about to go', undefined, false, 503, 200],
];
for (const [name, pendingSince, nodeEligible, healthz, livez] of ASKED) {
  test(`health: ${name}`, () => {
    const state = { report: { ...GOOD, pendingSince }, nodeEligible };
    assert.equal(answerAboutHealth('/healthz', state, NOW)?.status, healthz);
    assert.equal(answerAboutHealth('/livez', state, NOW)?.status, livez);
  });
}

test('what is told: of now where it is healthy, else of the last time; of the node where load balancers ask', () => {
  const state = { report: GOOD, nodeEligible: true };
  const [now, then] = ['2023-11-14T22:15:00Z', '2023-11-14T22:13:20Z'];
  const told = (path: string, of: typeof state): unknown => JSON.parse(answerAboutHealth(path, of, NOW)?.body ?? '');
  assert.deepEqual(told('/healthz', state), { lastUpdated: now, currentTime: now, nodeEligible: true });
  assert.deepEqual(told('/livez', state), { lastUpdated: now, currentTime: now });
  const goes = { ...state, nodeEligible: false };
  assert.deepEqual(told('/healthz', goes), { lastUpdated: then, currentTime: now, nodeEligible: false });
});

test('figures where they are asked for, and nowhere else', () => {
  const body = (path: string, mode: 'nftables' | 'iptables' = 'nftables'): string | undefined =>
    answerAboutWork(path, GOOD, mode)?.body;
  assert.match(body('/metrics') ?? '', /^kubeproxy_sync_proxy_rules_nftables_sync_failures_total 1$/m);
  assert.match(body('/metrics', 'iptables') ?? '', /^kubeproxy_sync_proxy_rules_iptables_restore_failures_total 1$/m);
  assert.match(body('/metrics') ?? '', /^binnacle_proxy_refused_rules 2$/m);
  assert.equal(body('/proxyMode', 'iptables'), 'iptables');
  assert.equal(body('/healthz'), 'ok');
  assert.equal(body('/'), undefined);
  for (const path of ['/metrics', '/proxyMode', '/'])
    assert.equal(answerAboutHealth(path, { report: GOOD, nodeEligible: true }, NOW), undefined, path);
});
