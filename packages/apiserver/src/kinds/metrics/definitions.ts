import { NODES, PODS } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import { formatTime } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject, SchemaTable } from '@binnacle/machinery';
import type { Pod } from '@binnacle/api/core/v1';
import type { AnyCall, ComputedDefinition, Reply } from '../../catalogue/definition.ts';
import type { NodeConnector } from '../../ports/nodes.ts';
import type { TablePrinter } from '../../ports/columns.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { nameOf } from '../../render/columns.ts';
import { chosen } from '../chosen.ts';
import { nodeMetricsPrinter, podMetricsPrinter } from './columns.ts';
import { type Usage, usageBetween } from './readings.ts';
import { type ReadingPair, UsageReader } from './usage-reader.ts';

const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
const API_VERSION = `${GROUP}/${VERSION}`;

export interface MetricsWorld {
  readonly cache: CacheReader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly nodes: NodeConnector;
}

/** What nodes and pods use now: `metrics.k8s.io`, as `kubectl top` and autoscalers read it. (metrics-server's API.) */
export function metricsDefinitions(world: MetricsWorld): ComputedDefinition[] {
  const reader = new UsageReader(world);
  const nodes = (call: AnyCall): Promise<Reply> => answerNodes(world, reader, call);
  const pods = (call: AnyCall): Promise<Reply> => answerPods(world, reader, call);
  return [
    {
      kind: 'computed',
      name: `nodes.${GROUP}`,
      structs: STRUCTS,
      versions: [{ info: infoOf('nodes', 'NodeMetrics', false), handlers: { get: nodes, list: nodes } }],
    },
    {
      kind: 'computed',
      name: `pods.${GROUP}`,
      versions: [{ info: infoOf('pods', 'PodMetrics', true), handlers: { get: pods, list: pods } }],
    },
  ];
}

function infoOf(resource: string, kind: string, namespaced: boolean): ResourceInfo {
  return {
    group: GROUP,
    version: VERSION,
    resource,
    singular: '',
    kind,
    listKind: `${kind}List`,
    namespaced,
    shortNames: [],
    categories: [],
    verbs: ['get', 'list'],
    subresources: [],
    schema: `${API_VERSION}.${kind}`,
    virtual: true,
    storagePrefix: '',
    storage: { group: GROUP, version: VERSION, kind },
  };
}

const KIND = { kind: { type: 'string', omitEmpty: true }, apiVersion: { type: 'string', omitEmpty: true } } as const;
const FIGURES = {
  ...KIND,
  metadata: { type: '#meta.v1.ObjectMeta', omitEmpty: true },
  timestamp: { type: 'Time', required: true },
  window: { type: 'string', required: true },
} as const;
const USAGE = { type: '{}Quantity', required: true } as const;
const listOf = (kind: string) =>
  ({
    fields: {
      ...KIND,
      metadata: { type: '#meta.v1.ListMeta', omitEmpty: true },
      items: { type: `[]#${API_VERSION}.${kind}`, required: true },
    },
  }) as const;

const STRUCTS: SchemaTable = {
  [`${API_VERSION}.NodeMetrics`]: { fields: { ...FIGURES, usage: USAGE } },
  [`${API_VERSION}.NodeMetricsList`]: listOf('NodeMetrics'),
  [`${API_VERSION}.PodMetrics`]: {
    fields: { ...FIGURES, containers: { type: `[]#${API_VERSION}.ContainerMetrics`, required: true } },
  },
  [`${API_VERSION}.PodMetricsList`]: listOf('PodMetrics'),
  [`${API_VERSION}.ContainerMetrics`]: { fields: { name: { type: 'string', required: true }, usage: USAGE } },
};

async function answerNodes(world: MetricsWorld, reader: UsageReader, call: AnyCall): Promise<Reply> {
  const { info } = call;
  const wanted = chosen(world.cache.list(NODES), call);
  const pairs = await reader.read(wanted.map(nameOf));
  const items = wanted.flatMap((node) => nodeFigures(node, pairs.get(nameOf(node))));
  if (info.verb === 'get')
    return one(items, () => status.notFound(namedAs('nodemetrics'), info.name), nodeMetricsPrinter);
  return listReply('NodeMetricsList', items, nodeMetricsPrinter);
}

async function answerPods(world: MetricsWorld, reader: UsageReader, call: AnyCall): Promise<Reply> {
  const { info } = call;
  const all = world.cache.list(PODS, info.namespace === '' ? undefined : info.namespace) as readonly Pod[];
  const wanted = chosen(all, call).filter(({ status: seen }) => seen?.phase === 'Running');
  const names = new Set(wanted.flatMap(({ spec }) => spec.nodeName ?? []));
  const pairs = await reader.read([...names].filter((name) => world.cache.get(NODES, '', name) !== undefined));
  const items = wanted.flatMap((pod) => podFigures(pod, pairs.get(pod.spec.nodeName ?? '')));
  const missing = `${info.namespace}/${info.name}`;
  if (info.verb === 'get') return one(items, () => status.notFound(namedAs('podmetrics'), missing), podMetricsPrinter);
  return listReply('PodMetricsList', items, podMetricsPrinter);
}

function namedAs(resource: string): { readonly group: string; readonly resource: string } {
  return { group: GROUP, resource };
}

function nodeFigures(node: KubeObject, pair: ReadingPair | undefined): KubeObject[] {
  const usage = usageBetween(pair?.before.node, pair?.after.node);
  return usage === undefined ? [] : [figures('NodeMetrics', node, [usage, { usage: amountsOf(usage) }])];
}

/** A pod is shown when something is known of it; a container that has just begun comes the next time. */
function podFigures(pod: Pod, pair: ReadingPair | undefined): KubeObject[] {
  const key = `${pod.metadata.namespace ?? ''}/${nameOf(pod)}`;
  const before = pair?.before.pods.get(key);
  const containers = [...(pair?.after.pods.get(key) ?? [])].flatMap(([name, after]) => {
    const usage = usageBetween(before?.get(name), after);
    return usage === undefined ? [] : [{ name, usage }];
  });
  const [first] = containers;
  if (first === undefined) return [];
  const shown = containers.map(({ name, usage }) => ({ name, usage: amountsOf(usage) }));
  return [figures('PodMetrics', pod, [first.usage, { containers: shown }])];
}

function figures(kind: string, of: KubeObject, [usage, rest]: readonly [Usage, object]): KubeObject {
  const { name, namespace, labels } = of.metadata;
  const timestamp = formatTime(usage.at);
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    creationTimestamp: timestamp,
    ...(labels === undefined ? {} : { labels }),
  };
  const window = `${usage.windowMs / 1000}s`;
  return { kind, apiVersion: API_VERSION, metadata, timestamp, window, ...rest } as unknown as KubeObject;
}

function amountsOf({ cpuNanoCores, memoryBytes }: Usage): { readonly cpu: string; readonly memory: string } {
  return { cpu: cpuNanoCores === 0 ? '0' : `${cpuNanoCores}n`, memory: `${Math.ceil(memoryBytes / 1024)}Ki` };
}

function one(items: readonly KubeObject[], missing: () => Error, columns: TablePrinter): Reply {
  const [object] = items;
  if (object === undefined) throw missing();
  return { kind: 'object', code: 200, object, columns };
}

function listReply(kind: string, items: readonly KubeObject[], columns: TablePrinter): Reply {
  return { kind: 'object', code: 200, object: { kind, apiVersion: API_VERSION, metadata: {}, items }, items, columns };
}
