import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HealthFigures } from '@binnacle/apiserver/component';
import type { HealthCheck } from '@binnacle/apiserver';
import { silentLogger } from '@binnacle/base';
import { componentPages } from './component-pages.ts';
import type { PageAnswer } from './component-pages.ts';

const AT = Date.UTC(2026, 10, 24);
const bad: HealthCheck = {
  name: 'leaderElection',
  check() {
    throw new RangeError('failed election to renew leadership on lease x');
  },
};
const good: HealthCheck = { name: 'job-controller', check: () => undefined };

function pages(checks: readonly HealthCheck[] = []) {
  const answer = componentPages({
    name: 'kube-controller-manager',
    health: { healthz: () => checks, livez: () => [] },
    figures: () => 'a 1\n',
    healthFigures: new HealthFigures(),
    config: { 'kubecontrollermanager.config.k8s.io': { Generic: { LeaderElection: { LeaderElect: true } } } },
    flags: new Map([['v', '2']]),
    version: 'v1.36.0',
    startedAt: AT,
    clock: { now: () => AT + 1000 },
    log: silentLogger,
  });
  return (url: string, method = 'GET'): Promise<PageAnswer> => {
    const { pathname: path, searchParams } = new URL(url, 'https://x');
    const query = new Map([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
    return answer({ method, path, query, accept: '' });
  };
}

describe('pages of a component', () => {
  const ROWS: readonly (readonly [url: string, checks: readonly HealthCheck[], code: number, body: string])[] = [
    ['/healthz', [], 200, 'ok'],
    ['/healthz?verbose', [], 200, '[+]ping ok\nhealthz check passed\n'],
    ['/healthz?verbose=1', [good], 200, '[+]job-controller ok\nhealthz check passed\n'],
    [
      '/healthz',
      [bad, good],
      500,
      '[-]leaderElection failed: reason withheld\n[+]job-controller ok\nhealthz check failed\n',
    ],
    ['/healthz?exclude=leaderElection', [bad, good], 200, 'ok'],
    ['/healthz/leaderElection', [bad], 500, 'internal server error: failed election to renew leadership on lease x\n'],
    ['/healthz/constructor', [good], 404, '404 page not found\n'],
    ['/livez', [bad], 200, 'ok'],
    ['/readyz', [], 404, '404 page not found\n'],
    ['/metrics', [], 200, 'a 1\n'],
    ['/metrics/', [], 404, '404 page not found\n'],
    ['/constructor', [], 404, '404 page not found\n'],
    ['/', [], 404, '404 page not found\n'],
    [
      '/configz',
      [],
      200,
      '{"kubecontrollermanager.config.k8s.io":{"Generic":{"LeaderElection":{"LeaderElect":true}}}}',
    ],
  ];
  for (const [url, checks, code, body] of ROWS) {
    test(`${url} with ${checks.length} checks`, async () => {
      const answer = await pages(checks)(url);
      assert.deepEqual([answer.code, answer.body], [code, body]);
    });
  }

  test('what they are read with', async () => {
    const ask = pages();
    assert.equal((await ask('/metrics')).contentType, 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal((await ask('/configz')).contentType, 'application/json');
    assert.deepEqual(
      [(await ask('/metrics', 'HEAD')).code, (await ask('/metrics', 'DELETE')).code, (await ask('/x', 'DELETE')).code],
      [200, 405, 404],
    );
  });

  test('how health was, by sort and check', async () => {
    const ask = pages([bad]);
    await ask('/healthz');
    await ask('/healthz');
    await ask('/livez');
    const { body } = await ask('/metrics/slis');
    assert.match(body, /^kubernetes_healthcheck\{type="healthz",name="leaderElection"\} 0$/m);
    assert.match(body, /^kubernetes_healthchecks_total\{type="healthz",name="leaderElection",status="error"\} 2$/m);
    assert.match(body, /^kubernetes_healthcheck\{type="livez",name="ping"\} 1$/m);
  });

  test('flags, and what it is', async () => {
    const ask = pages();
    assert.match((await ask('/flagz')).body, /kube-controller-manager flagz\n(.*\n)+v=2\n/);
    const { body } = await ask('/statusz');
    assert.match(body, /kube-controller-manager statusz\n(.*\n)*Binary version: 1\.36\.0\n/);
    assert.match(body, /Paths: \/configz \/flagz \/healthz \/livez \/metrics \/metrics\/slis \/statusz\n/);
  });
});
