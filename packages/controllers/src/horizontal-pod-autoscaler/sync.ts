import { HORIZONTAL_POD_AUTOSCALERS } from '@binnacle/api';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '@binnacle/api/autoscaling/v2';
import type { Pod } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { deepEqual, parseLabelSelector } from '@binnacle/machinery';
import type { Selector } from '@binnacle/machinery';
import { referenceTo } from '@binnacle/client';
import type { Client, EventRecorder, Informer } from '@binnacle/client';
import { commitStatus, splitKey } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { StatusDraft } from './autoscaler-status.ts';
import type { AutoscalerOptions } from '../controller-kit.ts';
import type { SelectedPods } from '../selected-pods.ts';
import { evaluateMetric, toleranceOf } from './evaluate.ts';
import type { Evaluation, Subject } from './evaluate.ts';
import { actionOf } from './figures.ts';
import type { AutoscalerFigures, LookResult } from './figures.ts';
import { ScaleHistory } from './history.ts';
import { limit } from './limits.ts';
import { MetricsApi } from './metrics-api.ts';
import type { Youth } from './samples.ts';
import { ScaleTargets } from './target.ts';
import type { FoundScale } from './target.ts';

/** What autoscaling works with. */
export interface AutoscalerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly autoscalers: Informer<HorizontalPodAutoscaler>;
  /** Which pods each target has; filed by the autoscalers' keys. */
  readonly targets: Pick<SelectedPods, 'set' | 'remove' | 'podsOf' | 'selectorsOf'>;
  readonly options: AutoscalerOptions;
  readonly figures: AutoscalerFigures;
}

/** Upstream's defaults of the flags of these names. */
const YOUTH: Youth = { cpuInitializationMs: 300_000, initialReadinessMs: 30_000 };

/** One look at an autoscaler, with what it leads to. */
interface Look {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly key: string;
  readonly draft: StatusDraft;
  readonly context: SyncContext;
  readonly nowMs: number;
  /** What came of it so far. */
  readonly result: { action: LookResult['action']; error: LookResult['error'] };
}

/** What metrics want; `failed`: nothing follows from them. */
interface Wanted {
  readonly replicas: number;
  readonly name: string;
  readonly metrics: readonly MetricStatus[];
  readonly failed?: string;
  /** Some metrics could not be had, and the others were enough. */
  readonly isPartial?: boolean;
}

/** Brings targets to what their metrics ask for, one autoscaler at a time. */
export class AutoscalerSync {
  readonly #parts: AutoscalerParts;
  readonly #targets: ScaleTargets;
  readonly #metrics: MetricsApi;
  readonly #history = new ScaleHistory();
  /** The selectors of the targets as they were seen last, by autoscaler. */
  readonly #selectors = new Map<string, { readonly text: string; readonly selector: Selector }>();

  constructor(parts: AutoscalerParts) {
    this.#parts = parts;
    this.#targets = new ScaleTargets(parts.client);
    const resourceOfKind: ConstructorParameters<typeof MetricsApi>[1] = (reference, context) =>
      this.#targets.resourceName(reference, context);
    this.#metrics = new MetricsApi(parts.client.wire, resourceOfKind, () => parts.clock.now());
  }

  /** Whether there is such an autoscaler still. */
  async sync(key: string, context: SyncContext): Promise<boolean> {
    const autoscaler = this.#parts.autoscalers.get(key);
    if (autoscaler === undefined) {
      this.#history.forget(key);
      this.#selectors.delete(key);
      this.#parts.targets.remove(key);
      this.#parts.figures.gone(key);
      return false;
    }
    const { clock, figures } = this.#parts;
    const nowMs = clock.now();
    const since = clock.monotonic();
    const result: Look['result'] = { action: 'none', error: 'internal' };
    try {
      await this.#look({ autoscaler, key, draft: new StatusDraft(autoscaler, nowMs), context, nowMs, result });
    } finally {
      figures.looked(result, (clock.monotonic() - since) / 1000);
    }
    return true;
  }

  async #look(look: Look): Promise<void> {
    const { autoscaler, draft, key, nowMs } = look;
    const found = await this.#findScale(look);
    if (found === undefined) return this.#commit(look, draft.unchanged());
    const current = found.scale.spec.replicas ?? 0;
    this.#history.begin(key, current, nowMs);
    const { minReplicas: min = 1, maxReplicas: max } = autoscaler.spec;
    if (current === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      draft.say('ScalingActive', false, { reason: 'ScalingDisabled', message });
      return this.#settle(look, { current, desired: 0, metrics: [] });
    }
    if (current > max) {
      return this.#rescale(look, found, { desired: max, why: 'Current number of replicas above Spec.MaxReplicas' });
    }
    if (current < min) {
      return this.#rescale(look, found, { desired: min, why: 'Current number of replicas below Spec.MinReplicas' });
    }
    const wanted = await this.#wantedByMetrics(look, found);
    if (wanted.failed !== undefined) {
      await this.#commit(look, draft.finish({ current, metrics: wanted.metrics }));
      return this.#tell(look, 'FailedComputeMetricsReplicas', wanted.failed);
    }
    const { metrics, isPartial } = wanted;
    const desired = this.#limited(look, { current, proposed: wanted.replicas });
    if (desired === current) return this.#settle(look, { current, desired, metrics, isPartial });
    const why = wanted.replicas > current ? `${wanted.name} above target` : 'All metrics below target';
    return this.#rescale(look, found, { desired, why, metrics, isPartial });
  }

  /** The end of a look that came to a number. */
  async #settle(
    look: Look,
    of: Parameters<StatusDraft['finish']>[0] & { readonly desired: number; readonly isPartial?: boolean | undefined },
  ): Promise<void> {
    this.#parts.figures.wants(look.key, of.desired);
    await this.#commit(look, look.draft.finish(of));
    if (of.isPartial !== true) look.result.error = 'none';
  }

  async #findScale(look: Look): Promise<FoundScale | undefined> {
    const { autoscaler, draft, context } = look;
    const { namespace = '' } = autoscaler.metadata;
    try {
      const found = await this.#targets.get(autoscaler.spec.scaleTargetRef, namespace, context);
      const message = "the HPA controller was able to get the target's current scale";
      draft.say('AbleToScale', true, { reason: 'SucceededGetScale', message });
      return found;
    } catch (error) {
      if (context.signal.aborted) throw error;
      const why = messageOf(error);
      this.#tell(look, 'FailedGetScale', why);
      const message = `the HPA controller was unable to get the target's current scale: ${why}`;
      draft.say('AbleToScale', false, { reason: 'FailedGetScale', message });
      return undefined;
    }
  }

  #limited(
    { autoscaler, key, draft, nowMs }: Look,
    { current, proposed }: { readonly current: number; readonly proposed: number },
  ): number {
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    const past = this.#history.of(key);
    const { downscaleStabilizationMs: stabilizationMs } = this.#parts.options;
    const steadiness = stabilizationMs === undefined ? {} : { stabilizationMs };
    const limited = limit({ current, proposed, min, max, past, nowMs, ...steadiness }, behavior);
    this.#history.recommend(key, { replicas: proposed, atMs: nowMs });
    draft.say('AbleToScale', true, limited.able);
    draft.say('ScalingLimited', limited.isLimited, limited.limit);
    return limited.replicas;
  }

  async #rescale(
    look: Look,
    found: FoundScale,
    to: {
      readonly desired: number;
      readonly why: string;
      readonly metrics?: readonly MetricStatus[];
      readonly isPartial?: boolean | undefined;
    },
  ): Promise<void> {
    const { draft, context, key, autoscaler } = look;
    const { desired, why, metrics = [], isPartial } = to;
    const current = found.scale.spec.replicas ?? 0;
    try {
      await this.#targets.set(found, desired, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      const failure = messageOf(error);
      this.#tell(look, 'FailedRescale', `New size: ${desired}; reason: ${why}; error: ${failure}`);
      const message = `the HPA controller was unable to update the target scale: ${failure}`;
      draft.say('AbleToScale', false, { reason: 'FailedUpdateScale', message });
      return this.#commit(look, draft.finish({ current, metrics }));
    }
    const message = `the HPA controller was able to update the target scale to ${desired}`;
    draft.say('AbleToScale', true, { reason: 'SucceededRescale', message });
    const about = referenceTo(HORIZONTAL_POD_AUTOSCALERS, autoscaler);
    const told = `New size: ${desired}; reason: ${why}`;
    this.#parts.events.event(about, 'Normal', 'SuccessfulRescale', told, context);
    this.#history.changed(key, { by: desired - current, atMs: look.nowMs });
    look.result.action = actionOf(current, desired);
    await this.#settle(look, { current, desired, metrics, rescaled: true, isPartial });
  }

  /** The most that any metric asks for. Where some fail, the others may still let the target grow. */
  async #wantedByMetrics(look: Look, found: FoundScale): Promise<Wanted> {
    const { autoscaler, draft, nowMs } = look;
    const specs = autoscaler.spec.metrics ?? [];
    const chosen = this.#podsOf(look, found.scale.status?.selector ?? '');
    if ('failed' in chosen) return { replicas: 0, name: '', metrics: specs.map(() => UNKNOWN), failed: chosen.failed };
    const subject = {
      namespace: autoscaler.metadata.namespace ?? '',
      ...chosen,
      specReplicas: found.scale.spec.replicas ?? 0,
      statusReplicas: found.scale.status?.replicas ?? 0,
      tolerance: toleranceOf(autoscaler, this.#parts.options.tolerance),
      youth: { ...YOUTH, ...this.#parts.options.youth },
      nowMs,
    };
    const metrics: MetricStatus[] = [];
    const failures: { readonly reason: string; readonly why: string; readonly error: string }[] = [];
    let best: { readonly replicas: number; readonly name: string } | undefined;
    for (const spec of specs) {
      const result = await this.#evaluate(spec, { look, subject });
      if ('reason' in result) {
        this.#tell(look, result.reason, result.why);
        failures.push(result);
        metrics.push(UNKNOWN);
        continue;
      }
      metrics.push(result.status);
      if (best === undefined || result.replicas > best.replicas) best = result;
    }
    const [first] = failures;
    if (best === undefined || (first !== undefined && best.replicas < subject.specReplicas)) {
      const message = `the HPA was unable to compute the replica count: ${first?.why ?? 'no metrics'}`;
      draft.say('ScalingActive', false, { reason: first?.reason ?? 'FailedGetMetric', message });
      const failed = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first?.error ?? ''}`;
      return { replicas: 0, name: '', metrics, failed };
    }
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    draft.say('ScalingActive', true, { reason: 'ValidMetricFound', message });
    return { ...best, metrics, isPartial: failures.length > 0 };
  }

  async #evaluate(
    spec: MetricSpec,
    { look, subject }: { readonly look: Look; readonly subject: Subject },
  ): Promise<Evaluation> {
    const { clock, figures } = this.#parts;
    const since = clock.monotonic();
    let result: LookResult = { action: 'none', error: 'internal' };
    try {
      const evaluation = await evaluateMetric(spec, { api: this.#metrics, subject, context: look.context });
      const before = look.autoscaler.status?.currentReplicas ?? 0;
      if ('replicas' in evaluation) result = { action: actionOf(before, evaluation.replicas), error: 'none' };
      else if (evaluation.reason === 'InvalidMetricSourceType') result = { action: 'none', error: 'spec' };
      return evaluation;
    } finally {
      figures.computed(result, { type: spec.type, seconds: (clock.monotonic() - since) / 1000 });
    }
  }

  /** The target's pods, unless it is not clear whose they are. */
  #podsOf(
    look: Look,
    text: string,
  ): { readonly selector: string; readonly pods: readonly Pod[] } | { readonly failed: string } {
    const refuse = (reason: string, failed: string, told = failed): { readonly failed: string } => {
      this.#tell(look, reason === 'InvalidSelector' && text === '' ? 'SelectorRequired' : reason, failed);
      look.draft.say('ScalingActive', false, { reason, message: told });
      return { failed };
    };
    if (text === '') {
      return refuse('InvalidSelector', 'selector is required', "the HPA target's scale is missing a selector");
    }
    const { targets } = this.#parts;
    const { key } = look;
    const { namespace = '' } = look.autoscaler.metadata;
    try {
      const known = this.#selectors.get(key);
      const chosen = known?.text === text ? known : { text, selector: parseLabelSelector(text) };
      this.#selectors.set(key, chosen);
      targets.set(key, namespace, chosen.selector);
    } catch (error) {
      const why = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
      return refuse('InvalidSelector', why);
    }
    const pods = targets.podsOf(key);
    const rivals = [...new Set(pods.flatMap((pod) => targets.selectorsOf(pod)))].map((one) => splitKey(one).name);
    if (rivals.length > 1) {
      rivals.sort();
      const names = rivals.map((name) => `{${name} ${namespace}}`).join(' ');
      return refuse('AmbiguousSelector', `pods by selector ${text} are controlled by multiple HPAs: [${names}]`);
    }
    return { selector: text, pods };
  }

  #tell({ autoscaler, context }: Look, reason: string, message: string): void {
    if (context.signal.aborted) return;
    this.#parts.events.event(referenceTo(HORIZONTAL_POD_AUTOSCALERS, autoscaler), 'Warning', reason, message, context);
  }

  async #commit(look: Look, after: HorizontalPodAutoscaler): Promise<void> {
    const { autoscaler, context } = look;
    const client = this.#parts.client.resource(HORIZONTAL_POD_AUTOSCALERS, autoscaler.metadata.namespace);
    try {
      await commitStatus({ client, context }, autoscaler, (fresh) => ({
        ...fresh,
        ...(after.status === undefined ? {} : { status: after.status }),
      }));
    } catch (error) {
      this.#tell(look, 'FailedUpdateStatus', messageOf(error));
      throw error;
    }
  }
}

/** In the place of a metric that could not be had: clients tell metrics by their places. */
const UNKNOWN: MetricStatus = { type: '' };

/** Whether an autoscaler has to be looked at at once: what it is told of its status is our own word. */
export function wishChanged(before: HorizontalPodAutoscaler, after: HorizontalPodAutoscaler): boolean {
  return before.metadata.uid !== after.metadata.uid || !deepEqual(before.spec, after.spec);
}
