import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AvailabilityFigures } from './availability-figures.ts';

test('what goes away is counted once, until it is back', () => {
  const figures = new AvailabilityFigures();
  for (const [status, reason] of [
    ['True', 'Passed'],
    ['False', 'EndpointsNotFound'],
    ['False', 'EndpointsNotFound'],
    ['True', 'Passed'],
    ['False', 'FailedDiscoveryCheck'],
  ] as const)
    figures.found('v1.a.io', { status, reason });
  figures.found('v1.b.io', { status: 'False', reason: 'ServiceNotFound' });
  figures.gone('v1.b.io');
  const out: string[] = [];
  figures.render(out);
  assert.deepEqual(
    out.filter((line) => !line.startsWith('#')),
    [
      'aggregator_unavailable_apiservice{name="v1.a.io"} 1',
      'aggregator_unavailable_apiservice_total{name="v1.a.io",reason="EndpointsNotFound"} 1',
      'aggregator_unavailable_apiservice_total{name="v1.a.io",reason="FailedDiscoveryCheck"} 1',
      'aggregator_unavailable_apiservice_total{name="v1.b.io",reason="ServiceNotFound"} 1',
    ],
  );
});
