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

/** What a picture has no room for, by what it is. */
export type LeftOut = { readonly [what in Spot['resource'] | 'lines']: number };

/** The picture, and how many there was no room for. */
export interface Graph {
  readonly spots: readonly Spot[];
  readonly edges: readonly Edge[];
  readonly left: LeftOut;
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

/** A browser draws so many boxes and lines at once, and nobody sees through more. */
const SERVICES_MAX = 150;
const POLICIES_MAX = 100;
const SLICES_MAX = 150;
const PODS_MAX = 150;
const LINES_MAX = 2_000;
const SERVICE_NAME = 'kubernetes.io/service-name';

/** The picture of some namespaces, bounded: slices of Services that are drawn, then pods that something leads to, come first. */
export function graphOf(input: GraphInput): Graph {
  const services = (input.services as readonly ServiceObject[]).slice(0, SERVICES_MAX);
  const policies = (input.policies as readonly PolicyObject[]).slice(0, POLICIES_MAX);
  const served = new Set(services.map(({ metadata }) => idOf('services', metadata)));
  const slices = firstOf(input.slices as readonly SliceObject[], SLICES_MAX, (slice) => served.has(serviceOf(slice)));
  const guards = policies.flatMap(guardOf);
  const led = new Set(slices.flatMap(podsOf));
  const pods = firstOf(input.pods, PODS_MAX, (pod) => led.has(podId(pod)) || guards.some((one) => guardsPod(one, pod)));
  const nodes = nodeSpots(input.nodes, pods);
  const spots = [
    ...[...services.map(serviceSpot), ...policies.map(policySpot)],
    ...[...slices.map(sliceSpot), ...pods.map(podSpot), ...nodes],
  ];
  const edges = edgesOf({ slices, guards, pods }, new Set(spots.map(({ id }) => id)));
  const drawn = edges.slice(0, LINES_MAX);
  return {
    spots: straightened(spots, drawn),
    edges: drawn,
    left: {
      services: input.services.length - services.length,
      networkpolicies: input.policies.length - policies.length,
      endpointslices: input.slices.length - slices.length,
      pods: input.pods.length - pods.length,
      // Those that run nothing of what is drawn are no part of the picture.
      nodes: 0,
      lines: edges.length - drawn.length,
    },
  };
}

/** So many, those that are preferred before the others, else as they come. */
function firstOf<T>(all: readonly T[], max: number, isPreferred: (one: T) => boolean): readonly T[] {
  if (all.length <= max) return all.toSorted(byPreference(isPreferred));
  const first: T[] = [];
  const others: T[] = [];
  for (const one of all) {
    if (first.length === max) break;
    if (isPreferred(one)) first.push(one);
    else if (others.length < max) others.push(one);
  }
  return [...first, ...others].slice(0, max);
}

function byPreference<T>(isPreferred: (one: T) => boolean): (a: T, b: T) => number {
  const known = new Map<T, number>();
  const rank = (one: T): number => {
    const found = known.get(one) ?? Number(!isPreferred(one));
    known.set(one, found);
    return found;
  };
  return (a, b) => rank(a) - rank(b);
}

interface Lines {
  readonly slices: readonly SliceObject[];
  readonly guards: readonly Guard[];
  readonly pods: readonly PodSummary[];
}

/** Between what is drawn. */
function edgesOf({ slices, guards, pods }: Lines, drawn: ReadonlySet<string>): readonly Edge[] {
  const edges: Edge[] = [];
  for (const slice of slices) {
    const id = idOf('endpointslices', slice.metadata);
    edges.push({ from: serviceOf(slice), to: id, kind: 'serves' });
    for (const to of podsOf(slice)) edges.push({ from: id, to, kind: 'serves' });
  }
  for (const guard of guards) {
    const from = idOf('networkpolicies', guard);
    for (const pod of pods) if (guardsPod(guard, pod)) edges.push({ from, to: podId(pod), kind: 'guards' });
  }
  for (const pod of pods) {
    if (pod.node !== '') edges.push({ from: podId(pod), to: `nodes//${pod.node}`, kind: 'runs' });
  }
  return edges.filter(({ from, to }) => drawn.has(from) && drawn.has(to));
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

/** Empty: none that is said. */
function serviceOf({ metadata: { namespace = '', labels = {} } }: SliceObject): string {
  const name = Object.hasOwn(labels, SERVICE_NAME) ? labels[SERVICE_NAME] : undefined;
  return name === undefined ? '' : idOf('services', { namespace, name });
}

/** The pods behind a slice, each once. */
function podsOf({ metadata: { namespace = '' }, endpoints }: SliceObject): readonly string[] {
  const names = (endpoints ?? []).flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' && targetRef.name !== undefined ? [targetRef.name] : [],
  );
  return [...new Set(names)].map((name) => idOf('pods', { namespace, name }));
}

function sliceSpot({ metadata, endpoints }: SliceObject): Spot {
  const all = endpoints ?? [];
  const ready = all.filter(({ conditions }) => conditions?.ready !== false).length;
  return {
    ...placed('slices', 'endpointslices', metadata),
    note: `${ready} / ${all.length}`,
    isWell: ready > 0,
  };
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

/** A policy, and whom it is about. */
interface Guard {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Exclude<ReturnType<typeof selectorOf>, undefined>;
}

/** None for a selector that is none. */
function guardOf({ metadata: { namespace = '', name }, spec = {} }: PolicyObject): readonly Guard[] {
  const selector = selectorOf(spec.podSelector);
  return selector === undefined ? [] : [{ namespace, name, selector }];
}

function guardsPod({ namespace, selector }: Guard, { metadata }: PodSummary): boolean {
  return metadata.namespace === namespace && matchesLabels(selector, metadata.labels);
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
