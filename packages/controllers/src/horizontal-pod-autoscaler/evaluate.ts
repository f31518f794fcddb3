import { formatQuantity, milliQuantityOf, parseQuantity, quantityMilliValue } from '@binnacle/machinery';
import type {
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@binnacle/api/autoscaling/v2';
import type { Pod } from '@binnacle/api/core/v1';
import { isPodReady } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { MetricError } from '../errors.ts';
import type { MetricsApi } from './metrics-api.ts';
import { proposeByUsage, proposeByUtilization, proposeByValue, proposePerPod } from './proposals.ts';
import type { Proposal, Refused, Tolerance } from './proposals.ts';
import { requestsOf } from './requests.ts';
import { groupPods } from './samples.ts';
import type { Samples, Youth } from './samples.ts';

/** What metrics are looked at for. */
export interface Subject {
  readonly namespace: string;
  /** The target's, as text. */
  readonly selector: string;
  /** What the selector names. */
  readonly pods: readonly Pod[];
  /** The target's wish and what it says it has. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerance: Tolerance;
  readonly youth: Youth;
  readonly nowMs: number;
}

/** What one metric asks for, under the name that events use; or why nothing does, with the condition's reason. */
export type Evaluation =
  | { readonly replicas: number; readonly name: string; readonly status: MetricStatus }
  | { readonly reason: string; readonly why: string; readonly error: string };

/** Asks for a metric and works out what it wants. Never throws for what a metric or its API is. */
export async function evaluateMetric(
  spec: MetricSpec,
  { api, subject, context }: { readonly api: MetricsApi; readonly subject: Subject; readonly context: CallContext },
): Promise<Evaluation> {
  const { reason, prefix } = wordsOf(spec);
  try {
    return await new Evaluator(api, subject, context).evaluate(spec);
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const why = messageOf(error);
    return { reason, why, error: `failed to get ${prefix} value: ${why}` };
  }
}

function wordsOf(spec: MetricSpec): { readonly reason: string; readonly prefix: string } {
  switch (spec.type) {
    case 'Resource':
      return { reason: 'FailedGetResourceMetric', prefix: `${spec.resource?.name ?? ''} resource metric` };
    case 'ContainerResource':
      return {
        reason: 'FailedGetContainerResourceMetric',
        prefix: `${spec.containerResource?.container ?? ''} container metric`,
      };
    case 'Pods':
      return { reason: 'FailedGetPodsMetric', prefix: 'pods metric' };
    case 'Object':
      return { reason: 'FailedGetObjectMetric', prefix: 'object metric' };
    case 'External':
      return { reason: 'FailedGetExternalMetric', prefix: `${spec.external?.metric.name ?? ''} external metric` };
    default:
      return { reason: 'InvalidMetricSourceType', prefix: `${spec.type} metric` };
  }
}

type Found = Exclude<Evaluation, { readonly reason: string }>;

class Evaluator {
  readonly #api: MetricsApi;
  readonly #subject: Subject;
  readonly #context: CallContext;

  constructor(api: MetricsApi, subject: Subject, context: CallContext) {
    this.#api = api;
    this.#subject = subject;
    this.#context = context;
  }

  async evaluate(spec: MetricSpec): Promise<Found> {
    const { resource, containerResource, pods, object, external } = spec;
    if (resource !== undefined) {
      const { replicas, name, current } = await this.#resource(resource, undefined);
      return { replicas, name, status: { type: 'Resource', resource: { name: resource.name, current } } };
    }
    if (containerResource !== undefined) {
      const { container } = containerResource;
      const { replicas, name, current } = await this.#resource(containerResource, container);
      const status = { name: containerResource.name, container, current };
      return { replicas, name, status: { type: 'ContainerResource', containerResource: status } };
    }
    if (pods !== undefined) {
      const { namespace, selector } = this.#subject;
      const samples = await this.#api
        .ofPods({ namespace, selector, metric: pods.metric }, this.#context)
        .catch((error: unknown) => rethrow(error, `unable to get metric ${pods.metric.name}: `));
      const { replicas, milli } = this.#byUsage(samples, '', targetOf(pods.target.averageValue));
      const current = { averageValue: decimal(milli) };
      return {
        replicas,
        name: `pods metric ${pods.metric.name}`,
        status: { type: 'Pods', pods: { metric: pods.metric, current } },
      };
    }
    if (object !== undefined) return this.#object(object);
    if (external !== undefined) return this.#external(external);
    throw new MetricError(`unknown metric source type ${JSON.stringify(spec.type)}`);
  }

  async #resource(
    { name: resource, target }: { readonly name: string; readonly target: MetricTarget },
    container: string | undefined,
  ): Promise<{ readonly replicas: number; readonly name: string; readonly current: MetricValueStatus }> {
    const { namespace, selector, pods } = this.#subject;
    const isShare = target.averageValue === undefined;
    const prefix = `failed to get ${resource} ${isShare ? 'utilization' : 'usage'}: `;
    const of = { namespace, selector, resource, ...(container === undefined ? {} : { container }) };
    try {
      const samples = await this.#api
        .usage(of, this.#context)
        .catch((error: unknown) => rethrow(error, `unable to get metrics for resource ${resource}: `));
      if (!isShare) {
        const { replicas, milli } = this.#byUsage(samples, resource, targetOf(target.averageValue));
        return { replicas, name: `${resource} resource`, current: { averageValue: amountOf(resource, milli) } };
      }
      if (target.averageUtilization === undefined) throw new MetricError(NO_RESOURCE_TARGET);
      const groups = this.#groups(samples, resource);
      const requests = settled(requestsOf(pods, resource, container));
      const {
        replicas,
        milli,
        utilization = 0,
      } = settled(proposeByUtilization(this.#usage(groups), requests, target.averageUtilization));
      const whose = container === undefined ? 'resource' : 'container resource';
      return {
        replicas,
        name: `${resource} ${whose} utilization (percentage of request)`,
        current: { averageUtilization: utilization, averageValue: amountOf(resource, milli) },
      };
    } catch (error) {
      return rethrow(error, prefix);
    }
  }

  async #object(object: NonNullable<MetricSpec['object']>): Promise<Found> {
    const { namespace, specReplicas, statusReplicas, tolerance } = this.#subject;
    const { describedObject, metric, target } = object;
    const { kind, name } = describedObject;
    const ask = (): Promise<number> =>
      this.#api
        .ofObject({ namespace, object: describedObject, metric }, this.#context)
        .catch((error: unknown) =>
          rethrow(error, `unable to get metric ${metric.name}: `, ` on ${kind} ${namespace}/${name}`),
        );
    const status = (current: MetricValueStatus): MetricStatus => ({
      type: 'Object',
      object: { describedObject, metric, current },
    });
    if (target.type === 'Value' && target.value !== undefined) {
      const proposal = this.#byValue(await ask(), { specReplicas, tolerance, target: targetOf(target.value) });
      const current = { value: decimal(proposal.milli) };
      return { replicas: proposal.replicas, name: `${kind} metric ${metric.name}`, status: status(current) };
    }
    if (target.type === 'AverageValue' && target.averageValue !== undefined) {
      const of = { replicas: statusReplicas, tolerance };
      const proposal = proposePerPod(of, await ask(), targetOf(target.averageValue));
      const current = { averageValue: decimal(proposal.milli) };
      return { replicas: proposal.replicas, name: externalName(metric), status: status(current) };
    }
    throw new MetricError('invalid object metric source: neither a value target nor an average value target was set');
  }

  async #external({ metric, target }: NonNullable<MetricSpec['external']>): Promise<Found> {
    const { namespace, specReplicas, statusReplicas, tolerance } = this.#subject;
    const ask = (): Promise<number> =>
      this.#api
        .external({ namespace, metric }, this.#context)
        .catch((error: unknown) => rethrow(error, `unable to get external metric ${namespace}/${metric.name}: `));
    const found = (replicas: number, current: MetricValueStatus): Found => ({
      replicas,
      name: externalName(metric),
      status: { type: 'External', external: { metric, current } },
    });
    if (target.averageValue !== undefined) {
      const of = { replicas: statusReplicas, tolerance };
      const { replicas, milli } = proposePerPod(of, await ask(), targetOf(target.averageValue));
      return found(replicas, { averageValue: decimal(milli) });
    }
    if (target.value !== undefined) {
      const { replicas, milli } = this.#byValue(await ask(), {
        specReplicas,
        tolerance,
        target: targetOf(target.value),
      });
      return found(replicas, { value: decimal(milli) });
    }
    throw new MetricError('invalid external metric source: neither a value target nor an average value target was set');
  }

  #byUsage(samples: Samples, resource: string, targetMilli: number): Proposal {
    return settled(proposeByUsage(this.#usage(this.#groups(samples, resource)), targetMilli));
  }

  #byValue(
    milli: number,
    { specReplicas, tolerance, target }: { specReplicas: number; tolerance: Tolerance; target: number },
  ): Proposal {
    const { pods } = this.#subject;
    if (specReplicas !== 0 && pods.length === 0) throw new MetricError(`unable to calculate ready pods: ${NO_PODS}`);
    const readyPods = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length;
    return proposeByValue({ replicas: specReplicas, readyPods, tolerance }, milli, target);
  }

  #groups(samples: Samples, resource: string): ReturnType<typeof groupPods> {
    const { pods, nowMs, youth } = this.#subject;
    if (pods.length === 0) throw new MetricError(NO_PODS);
    return groupPods(pods, samples, { resource, nowMs, youth });
  }

  #usage(groups: ReturnType<typeof groupPods>): Parameters<typeof proposeByUsage>[0] {
    const { specReplicas, tolerance } = this.#subject;
    return { replicas: specReplicas, groups, tolerance };
  }
}

const NO_PODS = 'no pods returned by selector while calculating replica count';
const NO_RESOURCE_TARGET =
  'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set';

function settled<T extends object>(result: T | Refused): T {
  if ('refused' in result) throw new MetricError(result.refused);
  return result;
}

function rethrow(error: unknown, before: string, after = ''): never {
  if (!(error instanceof MetricError)) throw error;
  throw new MetricError(`${before}${error.message}${after}`, error);
}

/** A target is positive by validation; zero would make everything infinite. */
function targetOf(quantity: string | undefined): number {
  const milli = quantityMilliValue(quantity ?? '0');
  if (milli <= 0) throw new MetricError('the target of the metric is not positive');
  return milli;
}

function decimal(milli: number): string {
  return formatQuantity(milliQuantityOf(Math.round(milli)));
}

/** As metrics servers write it: memory in powers of two. */
function amountOf(resource: string, milli: number): string {
  return formatQuantity(milliQuantityOf(milli, resource === 'memory' ? 'BinarySI' : 'DecimalSI'));
}

function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${selector === undefined ? 'nil' : JSON.stringify(selector)})`;
}

const DEFAULT_TOLERANCE = 0.1;

/** How far from its target a metric may be, by the autoscaler's word, else the manager's. */
export function toleranceOf({ spec }: HorizontalPodAutoscaler, otherwise = DEFAULT_TOLERANCE): Tolerance {
  const read = (tolerance: string | undefined): number =>
    tolerance === undefined ? otherwise : Number(parseQuantity(tolerance).nano) / 1e9;
  return { up: read(spec.behavior?.scaleUp?.tolerance), down: read(spec.behavior?.scaleDown?.tolerance) };
}
