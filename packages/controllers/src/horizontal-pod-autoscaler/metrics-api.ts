import { parseGoDuration } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import {
  formatSelector,
  parseGroupVersion,
  quantityMilliValue,
  readText,
  selectorFromObject,
} from '@binnacle/machinery';
import type { LabelSelector, Wire } from '@binnacle/machinery';
import type { CrossVersionObjectReference, MetricIdentifier } from '@binnacle/api/autoscaling/v2';
import { MetricError } from '../errors.ts';
import type { Sample, Samples } from './samples.ts';

/** A value and what it is of, as the custom and the external metrics API tell it. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly value?: string;
}

/** Usage as metrics.k8s.io/v1beta1 tells it. */
interface PodMetrics {
  readonly metadata?: { readonly name?: string };
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly {
    readonly name: string;
    readonly usage?: { readonly [resource: string]: string };
  }[];
}

/** How long a sample is taken to cover where nothing is said, ms. */
const WINDOW_MS = 60_000;
/** Versions of custom.metrics.k8s.io, the newest first. */
const CUSTOM_VERSIONS = ['v1beta2', 'v1beta1'];

/** The plural name of a kind, with its group: `deployments.apps`. */
export type ResourceOfKind = (reference: CrossVersionObjectReference, context: CallContext) => Promise<string>;

/** The three metrics APIs, behind the API server. All values are milli-units. Throws MetricError. */
export class MetricsApi {
  readonly #wire: Pick<Wire, 'raw'>;
  readonly #resourceOfKind: ResourceOfKind;
  readonly #now: () => number;

  constructor(wire: Pick<Wire, 'raw'>, resourceOfKind: ResourceOfKind, now: () => number) {
    this.#wire = wire;
    this.#resourceOfKind = resourceOfKind;
    this.#now = now;
  }

  /** A resource's usage of the pods that a selector names: of one container, or of all where none is named. */
  async usage(
    of: {
      readonly namespace: string;
      readonly selector: string;
      readonly resource: string;
      readonly container?: string;
    },
    context: CallContext,
  ): Promise<Samples> {
    const query = new URLSearchParams({ labelSelector: of.selector });
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(of.namespace)}/pods?${query.toString()}`;
    const items = (await this.#list('resource', path, context)) as readonly PodMetrics[];
    const samples = new Map<string, Sample>();
    for (const item of items) {
      const name = item.metadata?.name;
      // As upstream: one pod without the container, and nothing follows from the others.
      if (of.container !== undefined && containerOf(item, of.container) === undefined) {
        const pod = `${of.namespace}/${name ?? ''}`;
        throw new MetricError(
          `failed to get container metrics: container ${of.container} not present in metrics for pod ${pod}`,
        );
      }
      const milli = usageOf(item, of.resource, of.container);
      if (milli === undefined || name === undefined) continue;
      samples.set(name, { milli, atMs: this.#timeOf(item.timestamp), windowMs: windowOf(item.window) });
    }
    return samples;
  }

  /** A metric of each of the pods that a selector names. */
  async ofPods(
    of: { readonly namespace: string; readonly selector: string; readonly metric: MetricIdentifier },
    context: CallContext,
  ): Promise<Samples> {
    const query = new URLSearchParams({ labelSelector: of.selector, ...selectorQuery(of.metric.selector) });
    const tail = `namespaces/${encodeURIComponent(of.namespace)}/pods/*/${encodeURIComponent(of.metric.name)}?${query.toString()}`;
    const items = await this.#custom(tail, context);
    return new Map(
      items.map(({ describedObject, timestamp, windowSeconds, value }) => [
        describedObject?.name ?? '',
        {
          milli: milliOf(value),
          atMs: this.#timeOf(timestamp),
          windowMs: windowSeconds === undefined ? WINDOW_MS : windowSeconds * 1000,
        },
      ]),
    );
  }

  /** A metric of one object of the namespace, or of the namespace itself. */
  async ofObject(
    of: {
      readonly namespace: string;
      readonly object: CrossVersionObjectReference;
      readonly metric: MetricIdentifier;
    },
    context: CallContext,
  ): Promise<number> {
    const query = new URLSearchParams(selectorQuery(of.metric.selector));
    const namespace = encodeURIComponent(of.namespace);
    const metric = encodeURIComponent(of.metric.name);
    const isNamespace = of.object.kind === 'Namespace' && parseGroupVersion(of.object.apiVersion ?? 'v1').group === '';
    const tail = isNamespace
      ? `namespaces/${namespace}/metrics/${metric}`
      : `namespaces/${namespace}/${await this.#resourceOfKind(of.object, context)}/${encodeURIComponent(of.object.name)}/${metric}`;
    const items = await this.#custom(`${tail}?${query.toString()}`, context);
    const [item] = items;
    if (items.length !== 1 || item === undefined) {
      throw failed(
        'custom',
        `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
      );
    }
    return milliOf(item.value);
  }

  /** The sum of the values of a metric that has nothing to do with objects of the cluster. */
  async external(
    of: { readonly namespace: string; readonly metric: MetricIdentifier },
    context: CallContext,
  ): Promise<number> {
    const query = new URLSearchParams(
      of.metric.selector === undefined ? {} : { labelSelector: formatSelector(selectorFromObject(of.metric.selector)) },
    );
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(of.namespace)}/${encodeURIComponent(of.metric.name)}?${query.toString()}`;
    const items = (await this.#list('external', path, context)) as readonly MetricValue[];
    return items.reduce((sum, { value }) => sum + milliOf(value), 0);
  }

  async #custom(tail: string, context: CallContext): Promise<readonly MetricValue[]> {
    const version = await this.#customVersion(context);
    const path = `/apis/custom.metrics.k8s.io/${version}/${tail}`;
    return (await this.#list('custom', path, context)) as readonly MetricValue[];
  }

  async #customVersion(context: CallContext): Promise<string> {
    const group = (await this.#get('custom', '/apis/custom.metrics.k8s.io', context)) as {
      readonly versions?: unknown;
    };
    const served = recordsOf<{ readonly version?: string }>(group.versions);
    return CUSTOM_VERSIONS.find((one) => served.some(({ version }) => version === one)) ?? 'v1beta1';
  }

  async #list(api: string, path: string, context: CallContext): Promise<readonly unknown[]> {
    const { items: answered } = (await this.#get(api, path, context)) as { readonly items?: unknown };
    const items = recordsOf(answered);
    if (items.length === 0) {
      throw new MetricError(`no metrics returned from ${api} metrics API`);
    }
    return items;
  }

  async #get(api: string, path: string, context: CallContext): Promise<unknown> {
    try {
      return JSON.parse(await readText(this.#wire, path, context)) ?? {};
    } catch (error) {
      throw failed(api, error instanceof Error ? error.message : String(error), error);
    }
  }

  #timeOf(timestamp: string | undefined): number {
    const time = Date.parse(timestamp ?? '');
    return Number.isNaN(time) ? this.#now() : time;
  }
}

function failed(api: string, why: string, cause?: unknown): MetricError {
  return new MetricError(`unable to fetch metrics from ${api} metrics API: ${why}`, cause);
}

function selectorQuery(selector: LabelSelector | undefined): { readonly [name: string]: string } {
  return selector === undefined ? {} : { metricLabelSelector: formatSelector(selectorFromObject(selector)) };
}

type ContainerMetrics = NonNullable<PodMetrics['containers']>[number];

function containerOf({ containers }: PodMetrics, container: string | undefined): ContainerMetrics | undefined {
  return recordsOf<ContainerMetrics>(containers).find(({ name }) => name === container);
}

function usageOf(item: PodMetrics, resource: string, only: string | undefined): number | undefined {
  if (only !== undefined) {
    const quantity = containerOf(item, only)?.usage?.[resource];
    return quantity === undefined ? undefined : milliOf(quantity);
  }
  const containers = recordsOf<ContainerMetrics>(item.containers);
  if (containers.length === 0) return undefined;
  let sum = 0;
  for (const { usage } of containers) {
    const quantity = usage?.[resource];
    if (quantity === undefined) return undefined;
    sum += milliOf(quantity);
  }
  return sum;
}

/** The objects of what should be a list of them: whoever serves metrics is not ours. */
function recordsOf<T extends object>(value: unknown): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one: unknown): one is T => typeof one === 'object' && one !== null);
}

/** Throws MetricError for what is no quantity: whoever serves metrics is not ours. */
function milliOf(value: unknown): number {
  try {
    return quantityMilliValue(String(value));
  } catch (error) {
    throw new MetricError(`${JSON.stringify(value)} is no quantity`, error);
  }
}

/** Another server's word may be anything. */
function windowOf(window: unknown): number {
  return typeof window === 'string' ? parseGoDuration(window, () => WINDOW_MS) : WINDOW_MS;
}
