import { matchesLabels, SelectorError, selectorFromObject } from '@binnacle/machinery';
import type { PodSummary } from '../cluster/pod-summary.ts';
import type { ApiObject } from '../live/rows.ts';

/** From left to right: who is called, by whom it is answered, where that runs. */
export const COLUMNS = ['entry', 'slices', 'pods', 'nodes'] as const;

/** Where in the picture something stands. */
export type ColumnName = (typeof COLUMNS)[number];

/** One thing in the picture. */
export interface Spot {
  readonly id: string;
  readonly column: ColumnName;
  readonly resource: 'services' | 'networkpolicies' | 'endpointslices' | 'pods' | 'nodes';
  readonly namespace: string;
  readonly name: string;
  /** A few words on how it stands. */
  readonly note: string;
  readonly isWell: boolean;
}

/** Who leads to whom. `serves`: traffic goes there; `guards`: a policy decides over it; `runs`: it is there. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'serves' | 'guards' | 'runs';
}

/** The picture, and what there was no room for. */
export interface Graph {
  readonly spots: readonly Spot[];
  readonly edges: readonly Edge[];
  readonly left: number;
}

/** What it is made of. */
export interface GraphInput {
  readonly services: readonly ApiObject[];
  readonly slices: readonly ApiObject[];
  readonly pods: readonly PodSummary[];
  readonly nodes: readonly ApiObject[];
  readonly policies: readonly ApiObject[];
}

interface ServiceObject extends ApiObject {
  readonly spec?: { readonly type?: string; readonly clusterIP?: string };
}

interface SliceObject extends ApiObject {
  readonly endpoints?:
    | readonly {
        readonly targetRef?: { readonly kind?: string; readonly name?: string };
        readonly conditions?: { readonly ready?: boolean };
      }[]
    | null;
}

interface PolicyObject extends ApiObject {
  readonly spec?: {
    readonly podSelector?: Parameters<typeof selectorFromObject>[0];
    readonly policyTypes?: readonly string[];
  };
}

const PODS_MAX = 150;
const SERVICE_NAME = 'kubernetes.io/service-name';

/** The picture of some namespaces. Pods that somebody serves or guards come first; a hundred and fifty are shown. */
export function graphOf(input: GraphInput): Graph {
  const edges: Edge[] = [];
  const slices = (input.slices as readonly SliceObject[]).map((slice) => sliceSpot(slice, edges));
  guard(input.policies as readonly PolicyObject[], input.pods, edges);
  const led = new Set(edges.map(({ to }) => to));
  const ordered = input.pods.toSorted((a, b) => Number(led.has(podId(b))) - Number(led.has(podId(a))));
  const shown = ordered.slice(0, PODS_MAX);
  const spots: readonly Spot[] = [
    ...(input.services as readonly ServiceObject[]).map(serviceSpot),
    ...(input.policies as readonly PolicyObject[]).map(policySpot),
    ...slices,
    ...shown.map(podSpot),
    ...nodeSpots(input.nodes, shown),
  ];
  for (const pod of shown)
    if (pod.node !== '') edges.push({ from: podId(pod), to: `nodes//${pod.node}`, kind: 'runs' });
  const known = new Set(spots.map(({ id }) => id));
  return {
    spots: straightened(spots, edges),
    edges: edges.filter(({ from, to }) => known.has(from) && known.has(to)),
    left: ordered.length - shown.length,
  };
}

function idOf(
  resource: Spot['resource'],
  { namespace = '', name }: Pick<ApiObject['metadata'], 'namespace' | 'name'>,
): string {
  return `${resource}/${namespace}/${name}`;
}

function podId({ metadata }: PodSummary): string {
  return idOf('pods', metadata);
}

function placed(column: ColumnName, resource: Spot['resource'], { namespace = '', name }: ApiObject['metadata']) {
  return { id: idOf(resource, { namespace, name }), column, resource, namespace, name };
}

function serviceSpot({ metadata, spec = {} }: ServiceObject): Spot {
  const note = [spec.type, spec.clusterIP].filter((part) => part !== undefined).join(' ');
  return { ...placed('entry', 'services', metadata), note, isWell: true };
}

function policySpot({ metadata, spec = {} }: PolicyObject): Spot {
  return { ...placed('entry', 'networkpolicies', metadata), note: (spec.policyTypes ?? []).join(', '), isWell: true };
}

function sliceSpot({ metadata, endpoints }: SliceObject, edges: Edge[]): Spot {
  const { namespace = '', labels = {} } = metadata;
  const spot = placed('slices', 'endpointslices', metadata);
  const service = Object.hasOwn(labels, SERVICE_NAME) ? labels[SERVICE_NAME] : undefined;
  if (service !== undefined)
    edges.push({ from: idOf('services', { namespace, name: service }), to: spot.id, kind: 'serves' });
  const all = endpoints ?? [];
  for (const { targetRef } of all) {
    if (targetRef?.kind !== 'Pod' || targetRef.name === undefined) continue;
    edges.push({ from: spot.id, to: idOf('pods', { namespace, name: targetRef.name }), kind: 'serves' });
  }
  const ready = all.filter(({ conditions }) => conditions?.ready !== false).length;
  return { ...spot, note: `${ready} / ${all.length}`, isWell: ready > 0 };
}

function podSpot({ metadata, phase, isReady }: PodSummary): Spot {
  return { ...placed('pods', 'pods', metadata), note: phase, isWell: isReady || phase === 'Succeeded' };
}

function nodeSpots(nodes: readonly ApiObject[], pods: readonly PodSummary[]): readonly Spot[] {
  const used = new Set(pods.map(({ node }) => node));
  return nodes
    .filter(({ metadata }) => used.has(metadata.name))
    .map(({ metadata, status }) => {
      const { conditions = [] } = (status ?? {}) as {
        readonly conditions?: readonly { readonly type: string; readonly status: string }[];
      };
      const isWell = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
      return { ...placed('nodes', 'nodes', metadata), note: isWell ? 'Ready' : 'NotReady', isWell };
    });
}

function guard(policies: readonly PolicyObject[], pods: readonly PodSummary[], edges: Edge[]): void {
  for (const { metadata, spec = {} } of policies) {
    const selector = selectorOf(spec.podSelector);
    if (selector === undefined) continue;
    const from = idOf('networkpolicies', metadata);
    for (const pod of pods) {
      if (pod.metadata.namespace !== metadata.namespace || !matchesLabels(selector, pod.metadata.labels)) continue;
      edges.push({ from, to: podId(pod), kind: 'guards' });
    }
  }
}

function selectorOf(
  podSelector: Parameters<typeof selectorFromObject>[0],
): ReturnType<typeof selectorFromObject> | undefined {
  try {
    // Of a policy none at all selects every pod.
    return selectorFromObject(podSelector ?? {});
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** Each column in the order of what leads there, so that lines cross less. */
function straightened(spots: readonly Spot[], edges: readonly Edge[]): readonly Spot[] {
  const byTarget = Map.groupBy(edges, ({ to }) => to);
  const place = new Map<string, number>();
  return COLUMNS.flatMap((column) => {
    const own = spots.filter((spot) => spot.column === column);
    const middleOf = ({ id }: Spot): number => {
      const from = (byTarget.get(id) ?? []).flatMap((edge) => place.get(edge.from) ?? []);
      return from.length === 0 ? Number.MAX_SAFE_INTEGER : from.reduce((a, b) => a + b, 0) / from.length;
    };
    const middles = new Map(own.map((spot) => [spot.id, middleOf(spot)]));
    const sorted = own.toSorted((a, b) => (middles.get(a.id) ?? 0) - (middles.get(b.id) ?? 0));
    for (const [at, { id }] of sorted.entries()) place.set(id, at);
    return sorted;
  });
}

/** All that a thing leads to, and all that leads to it. */
export function reachOf(edges: readonly Edge[], id: string): ReadonlySet<string> {
  const reach = new Set([id]);
  for (const [from, to] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const next = Map.groupBy(edges, (edge) => edge[from]);
    const rest = [id];
    const seen = new Set(rest);
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      reach.add(one);
      for (const edge of next.get(one) ?? []) {
        if (seen.has(edge[to])) continue;
        seen.add(edge[to]);
        rest.push(edge[to]);
      }
    }
  }
  return reach;
}
