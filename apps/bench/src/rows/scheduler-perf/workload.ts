import { NODES, PODS } from '@binnacle/api';
import type { Affinity, Pod, PodSpec, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import { realClock, secureRandom } from '@binnacle/base/node';
import { Scope, silentLogger, sleep } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client, Draft } from '@binnacle/client';
import { createNodes, until } from '../../fill.ts';
import type { NodeShape } from '../../fill.ts';
import { createPods } from '../../pods.ts';
import { BenchError } from '../../errors.ts';
import { startProgram } from '../../program.ts';
import { atLeast } from '../../row.ts';
import type { Measurement } from '../../row.ts';
import { ThreadCpu, untilAtRest } from '../../thread-cpu.ts';

const NODE_COUNT = 5_000;
/** A batch that comes and goes has its nodes within this time. */
const PATIENCE_MS = 60_000;
/** What is wanted of each: so many times upstream's floor. */
const TIMES = 5;

/** A pod of a workload; requests 100m and 500Mi unless it says otherwise. */
export interface PodShape extends Pick<
  PodSpec,
  'priorityClassName' | 'schedulingGates' | 'resourceClaims' | 'volumes'
> {
  readonly labels?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly affinity?: Affinity;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  /** Extended resources. */
  readonly resources?: { readonly [name: string]: string };
  /** Absent: 100m and 500Mi; empty: none. */
  readonly requests?: { readonly [name: string]: string };
}

/** So many pods of a shape, in a namespace (absent: `default`). */
export interface PodBatch {
  readonly count: number;
  readonly shape: PodShape | ((i: number) => PodShape);
  readonly namespace?: string;
}

/** A workload of upstream's scheduler_perf: pods that are there before, and those whose way onto nodes is timed. */
export interface Workload {
  readonly name: string;
  /** Upstream's floor, pods a second. */
  readonly floor: number;
  /** Whose floor it is, where upstream has none for this one. */
  readonly floorOf?: string;
  /** Absent: 5,000 ordinary ones. */
  readonly nodes?: NodeShape & { readonly count?: number };
  /** What else is there, before any pod. */
  readonly prepare?: (client: Client) => Promise<void>;
  readonly initial?: readonly PodBatch[];
  readonly measured: PodBatch;
  /** The measured pods go, with all others of their namespace, as soon as they have a node, and others come, for so long. */
  readonly steadyMs?: number;
  /** What goes on beside the measured pods, until the signal aborts. */
  readonly meanwhile?: (client: Client, signal: AbortSignal) => Promise<void>;
}

/** A pod of a shape. */
export function podOf(name: string, namespace: string, shape: PodShape): Draft<Pod> {
  const { labels = {}, finalizers = [], resources = {}, requests: own, ...spec } = shape;
  const requests = own ?? { cpu: '100m', memory: '500Mi', ...resources };
  const claims = (spec.resourceClaims ?? []).map((claim) => ({ name: claim.name }));
  const container = { name: 'pause', image: 'pause', resources: { requests, limits: resources, claims } };
  return {
    metadata: { name, namespace, labels, finalizers },
    spec: {
      ...spec,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [container],
    },
  };
}

/** Makes pods of a batch, whether or not anybody places them. */
export async function createBatch(client: Client, prefix: string, batch: PodBatch): Promise<readonly string[]> {
  const { count, shape, namespace = 'default' } = batch;
  const shapeOf = typeof shape === 'function' ? shape : () => shape;
  return createPods(client, count, (i) => podOf(`${prefix}-${i}`, namespace, shapeOf(i)));
}

/** Makes pods of a batch, and waits until they have nodes. */
async function place(client: Client, prefix: string, batch: PodBatch): Promise<void> {
  const is = ({ metadata, spec }: Pod): boolean =>
    spec.nodeName !== undefined && metadata.name?.startsWith(`${prefix}-`) === true;
  const { count, namespace = 'default' } = batch;
  const bound = until(client, { ref: PODS, count, is, what: 'pods were bound', namespace });
  await Promise.all([createBatch(client, prefix, batch), bound]);
}

/** Counts the pods of a namespace that have got a node, whether or not they are there still. */
class PlacedPods {
  readonly #seen = new Set<string>();
  readonly #scope = new Scope('placed pods');
  #wanted = Number.POSITIVE_INFINITY;
  #enough = Promise.withResolvers<void>();

  constructor(client: Client, namespace: string) {
    const world = { clock: realClock, random: secureRandom, log: silentLogger };
    const pods = createInformer(client, PODS, world, { namespace });
    const look = ({ metadata, spec }: Pod): void => {
      if (spec.nodeName === undefined) return;
      this.#seen.add(metadata.uid ?? '');
      if (this.#seen.size >= this.#wanted) this.#enough.resolve();
    };
    pods.subscribe({ add: look, update: (_, pod) => look(pod) });
    pods.start(this.#scope);
  }

  /** Resolves when so many have got one since the start. */
  async until(count: number): Promise<void> {
    this.#wanted = count;
    this.#enough = Promise.withResolvers();
    if (this.#seen.size >= count) return;
    const late = realClock.after(PATIENCE_MS, () =>
      this.#enough.reject(new BenchError(`${this.#seen.size} of ${count} pods were bound in ${PATIENCE_MS} ms`)),
    );
    await this.#enough.promise.finally(() => late.cancel());
  }

  async close(): Promise<void> {
    await this.#scope.close();
  }
}

/**
 * As many pods at once as the batch has: as soon as all of them have a node, all pods of their namespace go in one call, and
 * others come, as upstream does it. Answers how many had a node.
 */
async function turnOver(client: Client, ms: number, batch: PodBatch): Promise<number> {
  const end = performance.now() + ms;
  const { count, namespace = 'default' } = batch;
  const placed = new PlacedPods(client, namespace);
  let total = 0;
  try {
    for (let round = 0; performance.now() < end; round++) {
      if (round > 0) {
        const options = { gracePeriodSeconds: 0, propagationPolicy: 'Background' as const };
        await client.resource(PODS, namespace).deleteCollection({}, options);
      }
      await createBatch(client, `timed-${round}`, batch);
      total += count;
      await placed.until(total);
    }
  } finally {
    await placed.close();
  }
  return total;
}

/** Does something again and again until the signal aborts. */
export async function every(ms: number, signal: AbortSignal, act: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    await act(i);
    await sleep(realClock, ms);
  }
}

/** Answers how many pods got a node. */
async function time(client: Client, { measured, steadyMs }: Workload): Promise<number> {
  if (steadyMs !== undefined) return turnOver(client, steadyMs, measured);
  await place(client, 'timed', measured);
  return measured.count;
}

/** The workload through the whole way: created, decided, bound and seen over HTTPS. */
export function measurementOf(workload: Workload): Measurement {
  const { name, floor, floorOf = name, nodes = {}, initial = [], prepare, meanwhile } = workload;
  const { count: nodeCount = NODE_COUNT } = nodes;
  return {
    name: `perf-${name}`,
    async run() {
      const program = await startProgram([
        ...['--runtime', 'simulated', '--nodes', '0', '--store', 'memory'],
        // Nodes that are objects only have no kubelet: upstream runs nothing here that gives them up for that.
        '--controllers=*,-node-lifecycle-controller',
      ]);
      const stop = new AbortController();
      try {
        const { client } = program;
        await createNodes(client, nodeCount, nodes);
        // Controllers write into each node (its TTL): upstream runs none of them here, and they are not what is timed.
        await untilAtRest(program.pid);
        await prepare?.(client);
        for (const [at, batch] of initial.entries()) await place(client, `before-${at}`, batch);
        const beside = meanwhile?.(client, stop.signal);
        const cpu = new ThreadCpu(program.pid);
        const began = performance.now();
        const count = await cpu.during(() => time(client, workload));
        const seconds = (performance.now() - began) / 1000;
        stop.abort();
        await beside;
        const reference = { name: `upstream's floor (scheduler_perf ${floorOf})`, value: floor };
        const shown = `${name}, ${nodeCount.toLocaleString('en')} ${nodeCount === 1 ? 'node' : 'nodes'}`;
        const row = { name: shown, value: Math.round(count / seconds), unit: 'pods/s', reference };
        return [atLeast({ ...row, cpu: cpu.per('pod', count) }, TIMES * floor)];
      } finally {
        stop.abort();
        await program.stop();
      }
    },
  };
}

/** Gives a node room for more pods than nodes ordinarily have. */
export async function makeRoom(client: Client, name: string, pods: string): Promise<void> {
  const room = { pods, cpu: '4', memory: '32Gi' };
  await client
    .resource(NODES)
    .patch(name, 'merge', { status: { capacity: room, allocatable: room } }, { subresource: 'status' });
}
