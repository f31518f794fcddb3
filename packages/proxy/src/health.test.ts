import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAboutProxy } from './health.ts';

const GOOD = { syncedAt: 1_700_000_000_000, syncs: 3, failures: 1, lastSyncMs: 5, failing: false, refused: 2 };

test('healthy once rules are there, and not while they are refused', () => {
  assert.equal(answerAboutProxy('/healthz', GOOD, 1_700_000_001_000)?.status, 200);
  assert.match(answerAboutProxy('/livez', GOOD, 1_700_000_001_000)?.body ?? '', /"lastUpdated":"2023-11-14T22:13:20Z"/);
  assert.equal(answerAboutProxy('/healthz', { ...GOOD, syncedAt: undefined }, 0)?.status, 503);
  assert.equal(answerAboutProxy('/healthz', { ...GOOD, failing: true }, 0)?.status, 503);
});

test('metrics, and no other page', () => {
  assert.match(
    answerAboutProxy('/metrics', GOOD, 0)?.body ?? '',
    /^kubeproxy_sync_proxy_rules_nftables_sync_failures_total 1$/m,
  );
  assert.match(answerAboutProxy('/metrics', GOOD, 0)?.body ?? '', /^binnacle_proxy_refused_rules 2$/m);
  assert.equal(answerAboutProxy('/', GOOD, 0), undefined);
});
