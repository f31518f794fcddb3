import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FigureBook } from '@binnacle/apiserver';
import { NODES, PERSISTENT_VOLUMES } from '@binnacle/api';
import { createTestWorld } from './test-world.ts';

const WHICH = ['persistentvolume-binder-controller', 'node-lifecycle-controller'];

test('when a term ends its gauges say nothing any more, and what was counted stays', async () => {
  const figures = new FigureBook();
  const world = createTestWorld(1, { start: { figures } });
  const shown = (): readonly string[] => {
    const out: string[] = [];
    figures.render(out);
    return out.filter((line) => /^(node_collector_zone_size|pv_collector_total_pv_count|running_managed)/.test(line));
  };
  world.api.seed(NODES, { metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'a' } }, spec: {} });
  const source = { hostPath: { path: '/x' } };
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce' as const], ...source };
  world.api.seed(PERSISTENT_VOLUMES, { metadata: { name: 'v' }, spec });
  figures.counter({ name: 'kept_total', help: 'Something.' }).add();
  const first = world.start(WHICH);
  await world.run(10_000);
  const during = shown();
  assert.ok(
    during.some((line) => /^node_collector_zone_size\{.*\} 1$/.test(line)),
    during.join('\n'),
  );
  assert.ok(
    during.some((line) => line.startsWith('pv_collector_total_pv_count{')),
    during.join('\n'),
  );
  assert.deepEqual(
    first.controllers.health(),
    WHICH.map((name) => ({ name, trouble: undefined })),
  );
  await first.kill();
  assert.deepEqual(
    shown(),
    WHICH.map((name) => `running_managed_controllers{name="${name}",manager="kube-controller-manager"} 0`),
  );
  const out: string[] = [];
  figures.render(out);
  assert.ok(out.includes('kept_total 1'));
});
