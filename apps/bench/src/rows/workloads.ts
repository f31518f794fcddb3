import { CONFIG_MAPS, DEPLOYMENTS, isPodReady, JOBS, PODS } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { realClock } from '@binnacle/base/node';
import { BenchError } from '../errors.ts';
import { until } from '../fill.ts';
import { startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { atLeast } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

const AT_ONCE = 32;
/** Simulated nodes with room for 110 pods each. */
const NODES = 100;
const DEADLINE_MS = 240_000;

async function inParallel(count: number, one: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await one(i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Times what happens to a fresh cluster; `prepare` is not timed. */
function timed(
  { name, count, unit, wanted }: { readonly name: string; readonly count: number; unit: string; wanted: number },
  nodes: number,
  steps: { readonly prepare?: (program: RunningProgram) => Promise<void>; run(client: Client): Promise<void> },
): () => Promise<Row[]> {
  return async () => {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', String(nodes), '--store', 'memory']);
    try {
      await steps.prepare?.(program);
      const began = performance.now();
      await steps.run(program.client);
      const seconds = (performance.now() - began) / 1000;
      return [atLeast({ name, value: Math.round(count / seconds), unit, reference: null }, wanted)];
    } finally {
      await program.stop();
    }
  };
}

const labels = { app: 'bench' };
const containers = [{ name: 'web', image: 'binnacle.local/frontend:1.0', resources: { requests: { cpu: '1m' } } }];

/** 1,000 Deployments of 10 replicas, from the first create until every pod is ready. */
export const deployments: Measurement = {
  name: 'deployments',
  run: timed({ name: '1,000 Deployments × 10 replicas', count: 10_000, unit: 'ready pods/s', wanted: 500 }, NODES, {
    async run(client) {
      const ready = until(client, { ref: PODS, count: 10_000, is: isPodReady, what: 'pods were ready' });
      const api = client.resource(DEPLOYMENTS, 'default');
      await inParallel(1000, (i) => {
        const own = { ...labels, name: `d-${i}` };
        const template = { metadata: { labels: own }, spec: { containers } };
        const spec = { replicas: 10, selector: { matchLabels: own }, template };
        return api.create({ metadata: { name: `d-${i}` }, spec } as never);
      });
      await ready;
    },
  }),
};

/** An indexed Job of 5,000 pods, 500 at a time, that end by themselves at once. */
export const indexedJob: Measurement = {
  name: 'job',
  run: timed({ name: 'indexed Job of 5,000 pods', count: 5000, unit: 'pods/s', wanted: 250 }, NODES, {
    async run(client) {
      const done = until(client, {
        ref: JOBS,
        count: 1,
        is: ({ status }) => status?.succeeded === 5000 && status.completionTime !== undefined,
        what: 'jobs were complete',
      });
      const annotations = { 'simulated.binnacle.dev/exit-after': '10ms' };
      const template = { metadata: { labels, annotations }, spec: { containers, restartPolicy: 'Never' } };
      const spec = { completionMode: 'Indexed', completions: 5000, parallelism: 500, template };
      await client.resource(JOBS, 'default').create({ metadata: { name: 'many' }, spec } as never);
      await done;
    },
  }),
};

/** 10,000 objects go with their owner, from its deletion until the last one is gone. */
export const garbage: Measurement = {
  name: 'garbage',
  run: timed({ name: 'garbage collection of 10,000 dependents', count: 10_000, unit: 'objects/s', wanted: 1000 }, 0, {
    async prepare({ client }) {
      const api = client.resource(CONFIG_MAPS, 'default');
      const owner = await api.create({ metadata: { name: 'owner' } });
      const { uid = '' } = owner.metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
      await inParallel(10_000, (i) => api.create({ metadata: { name: `c-${i}`, labels, ownerReferences } }));
    },
    async run(client) {
      const api = client.resource(CONFIG_MAPS, 'default');
      const gone = untilGone(client);
      await api.delete('owner');
      await gone;
    },
  }),
};

/** Resolves when no object of ours is left. */
async function untilGone(client: Client): Promise<void> {
  const api = client.resource(CONFIG_MAPS, 'default');
  const { items, resourceVersion } = await api.list({ labelSelector: 'app=bench' });
  const left = new Set(items.map(({ metadata }) => metadata.name));
  const done = Promise.withResolvers<void>();
  const handle = api.watch(
    { resourceVersion, labelSelector: 'app=bench' },
    {
      events: (batch) => {
        for (const { type, object } of batch) if (type === 'DELETED') left.delete(object.metadata.name);
        if (left.size === 0) done.resolve();
      },
      end: (error) => done.reject(new BenchError(`the watch ended with ${left.size} objects left: ${String(error)}`)),
    },
  );
  const late = realClock.after(DEADLINE_MS, () => done.reject(new BenchError(`${left.size} objects are left`)));
  await done.promise.finally(() => {
    late.cancel();
    handle.stop();
  });
}
