import { NODES, PODS } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createInformer } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { KubeObject } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import { BenchError } from './errors.ts';

const DEADLINE_MS = 240_000;

/** What nodes have beyond the ordinary. */
export interface NodeShape {
  readonly labels?: (i: number) => { readonly [key: string]: string };
  readonly resources?: { readonly [name: string]: string };
  readonly taints?: (i: number) => Node['spec']['taints'];
}

/** Nodes that exist in the API only: 4 CPUs, 32Gi, 110 pods, as upstream's scheduler_perf has them. */
export async function createNodes(client: Client, count: number, shape: NodeShape = {}): Promise<void> {
  const api = client.resource(NODES);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const name = `bench-${i}`;
      const labels = { 'kubernetes.io/hostname': name, ...shape.labels?.(i) };
      await api.create({ metadata: { name, labels }, spec: {} });
      const room = { cpu: '4', memory: '32Gi', pods: '110', ...shape.resources };
      const conditions = [{ type: 'Ready', status: 'True', reason: 'Bench', message: '' }];
      const status = { capacity: room, allocatable: room, conditions };
      await api.patch(name, 'merge', { status }, { subresource: 'status' });
      await api.patch(name, 'merge', { spec: { taints: shape.taints?.(i) ?? null } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** So many objects of a kind, in one namespace (absent: `default`). */
export interface Wanted<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly count: number;
  readonly is: (object: T) => boolean;
  /** Named in the message of a failure. */
  readonly what: string;
  readonly namespace?: string;
}

/** Resolves when so many objects of a kind are as wanted. Throws BenchError after four minutes. */
export async function until<T extends KubeObject>(client: Client, wanted: Wanted<T>): Promise<void> {
  const { ref, count, is, what, namespace = 'default' } = wanted;
  const scope = new Scope('until');
  const world = { clock: realClock, random: secureRandom, log: silentLogger };
  const cache = createInformer(client, ref, world, { namespace });
  const good = new Set<string>();
  const done = Promise.withResolvers<void>();
  const take = (object: T): void => {
    const name = object.metadata.name ?? '';
    if (is(object)) good.add(name);
    else good.delete(name);
    if (good.size >= count) done.resolve();
  };
  cache.subscribe({
    add: take,
    update: (_, object) => take(object),
    remove: ({ metadata }) => good.delete(metadata.name ?? ''),
  });
  cache.start(scope);
  const late = realClock.after(DEADLINE_MS, () => {
    done.reject(new BenchError(`${good.size} of ${count} ${what} in ${DEADLINE_MS} ms`));
  });
  try {
    await done.promise;
  } finally {
    late.cancel();
    await scope.close();
  }
}

/** Resolves when as many pods as wanted have a node. */
export function untilBound(client: Client, count: number): Promise<void> {
  const is = ({ spec }: Pod): boolean => spec.nodeName !== undefined;
  return until(client, { ref: PODS, count, is, what: 'pods were bound' });
}
