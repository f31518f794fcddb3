/**
 * Whatever owns whatever, circles too: when one object is deleted, exactly those go that nobody is left to own.
 * More: `GARBAGE_SEEDS=500 node --test packages/controllers/src/garbage/graphs.property.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { OwnerReference } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';

const SEEDS = Number(process.env['GARBAGE_SEEDS'] ?? 20);
const OBJECTS = 7;

/** By object, who owns it. */
type Graph = readonly (readonly number[])[];

/** The plain definition: whoever has owners and all of them go, goes. */
function leftOf(graph: Graph, deleted: number, isOrphaned: boolean): readonly number[] {
  const gone = new Set([deleted]);
  for (let before = 0; before !== gone.size && !isOrphaned;) {
    before = gone.size;
    graph.forEach((owners, i) => {
      if (owners.length > 0 && owners.every((owner) => gone.has(owner))) gone.add(i);
    });
  }
  return graph.flatMap((_, i) => (gone.has(i) ? [] : [i]));
}

async function collect(seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const world = createTestWorld(seed);
  const process = world.start(['garbage-collector-controller']);
  await world.run(1000);
  const objects = world.client.resource(CONFIG_MAPS, 'ns');
  const made: ConfigMap[] = [];
  for (let i = 0; i < OBJECTS; i++) made.push(await objects.create({ metadata: { name: `o${i}` } }));
  const graph: Graph = made.map(() => [
    ...new Set(Array.from({ length: randomBelow(random, 3) }, () => randomBelow(random, OBJECTS))),
  ]);
  for (const [i, owners] of graph.entries()) {
    const ownerReferences = owners.map((owner): OwnerReference => {
      const { name = '', uid = '' } = made[owner]?.metadata ?? {};
      return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: randomBelow(random, 4) > 0 };
    });
    await objects.patch(`o${i}`, 'merge', { metadata: { ownerReferences } });
  }
  await world.run(1000);
  const deleted = randomBelow(random, OBJECTS);
  const policy = ['Foreground', 'Foreground', 'Background', 'Orphan'][randomBelow(random, 4)] ?? 'Orphan';
  await objects.delete(`o${deleted}`, { propagationPolicy: policy });
  await world.run(120_000);
  const about = `seed ${seed}: ${JSON.stringify(graph)}, o${deleted} by ${policy}`;
  const left = leftOf(graph, deleted, policy === 'Orphan');
  const there = world.api.objects(CONFIG_MAPS);
  assert.deepEqual(
    there.map((one) => one.metadata.name).toSorted(),
    left.map((i) => `o${i}`),
    about,
  );
  // Who stays is held by nobody who went.
  for (const { metadata } of policy === 'Background' ? [] : there) {
    assert.ok(
      metadata.ownerReferences?.every(({ name }) => name !== `o${deleted}`) ?? true,
      `${about}: ${metadata.name}`,
    );
    assert.equal(metadata.deletionTimestamp, undefined, about);
  }
  await process.kill();
}

test(`property: in ${SEEDS} graphs with circles exactly those go that nobody is left to own`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await collect(seed);
});
