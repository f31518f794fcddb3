import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { WrittenPods } from './written-pods.ts';

const at = (resourceVersion: string, uid = 'u'): Pod => ({
  metadata: { namespace: 'n', name: 'p', uid, resourceVersion },
  spec: { containers: [] },
});

/** What `latest` answers, by revision, after the steps. */
const ROWS: readonly (readonly [
  name: string,
  cached: Pod | undefined,
  steps: (pods: WrittenPods) => void,
  latest: string,
])[] = [
  ['nothing written: the cache', at('138'), () => undefined, '138'],
  ['the cache is behind: what was written', at('138'), (pods) => pods.note(at('143')), '143'],
  ['the cache heard of it before we did', at('143'), (pods) => pods.note(at('143')), '138'],
  ['an older event comes first', at('130'), (pods) => (pods.note(at('143')), pods.settle(at('132'), false)), '143'],
  ['its event has come', at('130'), (pods) => (pods.note(at('143')), pods.settle(at('143'), false)), '138'],
  ['a newer one has come', at('130'), (pods) => (pods.note(at('143')), pods.settle(at('158'), false)), '138'],
  ['the pod is gone', at('130'), (pods) => (pods.note(at('143')), pods.settle(at('130'), true)), '138'],
  ['another pod of that name', at('130', 'other'), (pods) => pods.note(at('143')), '138'],
  ['not in the cache any more', undefined, (pods) => pods.note(at('143')), '138'],
];

for (const [name, cached, steps, latest] of ROWS) {
  test(name, () => {
    const pods = new WrittenPods({ get: () => cached });
    steps(pods);
    assert.equal(pods.latest(at('138')).metadata.resourceVersion, latest);
  });
}
