import { QuantityError, quantityMilliValue } from '@binnacle/machinery';
import type { ApiObject, Reading, RowMetadata } from '../live/rows.ts';

/** An amount of what pods ask nodes for. */
export interface Amount {
  readonly milliCpu: number;
  readonly memoryBytes: number;
}

/** What of a pod the pictures of a cluster need: tens of thousands are kept. */
export interface PodSummary extends ApiObject {
  readonly phase: string;
  readonly isReady: boolean;
  /** Empty: nowhere yet. */
  readonly node: string;
  readonly requests: Amount;
}

interface Container {
  readonly resources?: { readonly requests?: { readonly [resource: string]: string } };
  readonly restartPolicy?: string;
}

interface Pod extends ApiObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    /** Of the pod as a whole. */
    readonly resources?: Container['resources'];
    readonly overhead?: { readonly [resource: string]: string };
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const NOTHING: Amount = { milliCpu: 0, memoryBytes: 0 };

/** A pod without all that no picture shows. */
export function podSummary(pod: Pod): PodSummary {
  const { spec = {}, status = {}, metadata } = pod;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(metadata),
    phase: metadata.deletionTimestamp === undefined ? (status.phase ?? 'Unknown') : 'Terminating',
    isReady: (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
    node: spec.nodeName ?? '',
    requests: isOver(status.phase) ? NOTHING : requestsOf(spec),
  };
}

function metadataOf({ name, namespace, uid, resourceVersion, labels }: RowMetadata): RowMetadata {
  return {
    ...{ name, resourceVersion },
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(labels === undefined ? {} : { labels }),
  };
}

function isOver(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/**
 * As the scheduler counts: containers and sidecars together, or the largest of those that run before them; what the pod asks for as a
 * whole goes before both.
 */
function requestsOf({ containers = [], initContainers = [], resources, overhead }: NonNullable<Pod['spec']>): Amount {
  let sidecars = NOTHING;
  let largest = NOTHING;
  for (const container of initContainers) {
    const wanted = amountOf(container.resources?.requests);
    if (container.restartPolicy === 'Always') sidecars = sum(sidecars, wanted);
    else largest = most(largest, sum(sidecars, wanted));
  }
  const running = containers.map(({ resources }) => amountOf(resources?.requests)).reduce(sum, sidecars);
  const own = { ...most(running, largest), ...partsOf(resources?.requests) };
  return sum(own, amountOf(overhead));
}

type ResourceList = { readonly [resource: string]: string } | undefined;

/** `cpu` and `memory` of a list of resources. */
export function amountOf(list: ResourceList): Amount {
  return { ...NOTHING, ...partsOf(list) };
}

/** Those of them that are said. */
function partsOf({ cpu, memory }: NonNullable<ResourceList> = {}): Partial<Amount> {
  return {
    ...(cpu === undefined ? {} : { milliCpu: milliOf(cpu) }),
    ...(memory === undefined ? {} : { memoryBytes: milliOf(memory) / 1000 }),
  };
}

function milliOf(text: string): number {
  try {
    return quantityMilliValue(text);
  } catch (error) {
    // What nobody can count is not counted.
    if (error instanceof QuantityError) return 0;
    throw error;
  }
}

/** Both together. */
export function sum(a: Amount, b: Amount): Amount {
  return { milliCpu: a.milliCpu + b.milliCpu, memoryBytes: a.memoryBytes + b.memoryBytes };
}

function most(a: Amount, b: Amount): Amount {
  return { milliCpu: Math.max(a.milliCpu, b.milliCpu), memoryBytes: Math.max(a.memoryBytes, b.memoryBytes) };
}

/** Pods, each summed up as it comes. */
export const POD_READING: Reading = {
  accept: 'application/json',
  query: '',
  page(value) {
    const { items, metadata = {} } = value as { readonly items?: readonly Pod[] | null; readonly metadata?: object };
    return { rows: (items ?? []).map((pod) => ({ cells: [], object: podSummary(pod) })), metadata };
  },
  event: (object) => ({ rows: [{ cells: [], object: podSummary(object as Pod) }] }),
};
