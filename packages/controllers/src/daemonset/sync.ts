import type { Clock } from '@binnacle/base';
import { selectorFromObject } from '@binnacle/machinery';
import { availableInMs, CONTROLLER_REVISIONS, DAEMON_SETS, isPodTerminating, PODS, wellknown } from '@binnacle/api';
import type { ControllerRevision, DaemonSet } from '@binnacle/api/apps/v1';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Client, Draft, EventRecorder, Informer } from '@binnacle/client';
import {
  BY_CONTROLLER,
  claimObjects,
  commitStatus,
  controllerReference,
  isNamespaceTerminating,
  NumberBook,
  orphansFor,
  PodControl,
  podFromTemplate,
  PodNames,
  ReportPace,
  runInSlowStartBatches,
} from '@binnacle/reconcile';
import type { Expectations, SyncContext } from '@binnacle/reconcile';
import { dropRevisions, LABEL_REVISION, recordRevision, surplusRevisions } from '../controller-history.ts';
import { FailedPods } from './failed-pods.ts';
import { affinityTo, nodeOfPod, tolerationsOf } from './nodes.ts';
import { planDaemons, statusOf } from './plan.ts';
import type { DaemonPlan, DaemonSeen } from './plan.ts';

/** What the sync works with. The caches need OWNERSHIP_INDEXES, nodes none. */
export interface DaemonSetSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly expectations: Expectations;
  readonly sets: Informer<DaemonSet>;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly revisions: Informer<ControllerRevision>;
}

const DOWN = ['numberUnavailable'];

/** Upstream's: at most this many pods are made, and deleted, in one sync. */
const BURST = 250;

/** One set, one round: claim → record the revision → plan → act → report → forget old revisions. */
export class DaemonSetSync {
  readonly #options: DaemonSetSyncOptions;
  readonly #control: PodControl<DaemonSet>;
  readonly #numbers = new NumberBook();
  readonly #failed: FailedPods;
  readonly #reports: ReportPace;

  constructor(options: DaemonSetSyncOptions) {
    this.#options = options;
    this.#control = new PodControl({ ...options, ref: DAEMON_SETS });
    this.#failed = new FailedPods(options.clock);
    this.#reports = new ReportPace(options.clock);
  }

  forget(set: DaemonSet): void {
    this.#options.expectations.forget(cacheKey(set));
    this.#numbers.forget(set.metadata.uid ?? '');
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const { sets, expectations, client, events } = this.#options;
    const set = sets.get(key);
    // Not as soon as it is gone: a sync that was under way then may have put off its report.
    if (set === undefined) return this.#reports.forget(key);
    if (selectsAll(set)) {
      const why = 'This daemon set is selecting all pods. A non-empty selector is required.';
      events.event(referenceTo(DAEMON_SETS, set), 'Warning', 'SelectingAll', why, context);
      return;
    }
    if (set.metadata.deletionTimestamp !== undefined) return;
    const wait = expectations.remainingMs(key);
    if (wait > 0) context.postpone(wait + 1);
    const pods = await this.#claimPods(set, context);
    const revisions = await this.#claimRevisions(set, context);
    const recorded = await recordRevision(client, historyOf(set, revisions), context);
    const seen = this.#look(set, { pods, hash: hashOf(recorded.revision, set) });
    const plan = planDaemons(seen);
    const failure = wait > 0 ? undefined : await this.#carryOut(seen, plan, context);
    await this.#report(seen, recorded.collisionCount, context);
    const live = new Set(pods.map((pod) => pod.metadata.labels?.[LABEL_REVISION]));
    const isLive = (one: ControllerRevision): boolean =>
      one.metadata.uid === recorded.revision.metadata.uid || live.has(hashOf(one, set));
    await dropRevisions(client, surplusRevisions(revisions, isLive, set.spec.revisionHistoryLimit ?? 10), context);
    this.#wakeLater(seen, context);
    if (failure !== undefined && !isNamespaceTerminating(failure)) throw failure;
  }

  #look(set: DaemonSet, of: { readonly pods: readonly Pod[]; readonly hash: string }): DaemonSeen {
    const { nodes, clock } = this.#options;
    const isBackedOff = (node: string): boolean => this.#failed.waitMs(failureKey(set, node)) > 0;
    return { set, nodes: nodes.list(), ...of, nowMs: clock.now(), isBackedOff };
  }

  async #claimPods(set: DaemonSet, context: SyncContext): Promise<readonly Pod[]> {
    const { pods, client } = this.#options;
    const { uid = '', namespace = '' } = set.metadata;
    const selector = selectorFromObject(set.spec.selector ?? {});
    const candidates = [...pods.byIndex(BY_CONTROLLER, uid), ...orphansFor(pods, namespace, selector)];
    return claimObjects({ client, owner: set, ownerRef: DAEMON_SETS, selector, ref: PODS, candidates }, context);
  }

  async #claimRevisions(set: DaemonSet, context: SyncContext): Promise<readonly ControllerRevision[]> {
    const { revisions, client } = this.#options;
    const { uid = '', namespace = '' } = set.metadata;
    const selector = selectorFromObject(set.spec.selector ?? {});
    const candidates = [...revisions.byIndex(BY_CONTROLLER, uid), ...orphansFor(revisions, namespace, selector)];
    const ref = CONTROLLER_REVISIONS;
    return claimObjects({ client, owner: set, ownerRef: DAEMON_SETS, selector, ref, candidates }, context);
  }

  async #carryOut(seen: DaemonSeen, plan: DaemonPlan, context: SyncContext): Promise<unknown> {
    const { set } = seen;
    const order = { owner: set, key: cacheKey(set) };
    for (const { pod, node } of plan.ended) {
      if (!plan.remove.includes(pod)) continue;
      this.#tellEnded(set, { pod, node }, context);
      if (pod.status?.phase === 'Failed') this.#failed.note(failureKey(set, node));
    }
    const remove = plan.remove.slice(0, BURST).map((pod) => this.#control.remove(order, pod, context));
    const removed = await Promise.allSettled(remove);
    const made = await this.#create(seen, plan.create.slice(0, BURST), context);
    return removed.find((one) => one.status === 'rejected')?.reason ?? made;
  }

  /** Numbers in the order of the nodes' names; what is asked for again is met again, on the node it was for. */
  async #create(seen: DaemonSeen, nodes: readonly string[], context: SyncContext): Promise<unknown> {
    const { set, pods, hash } = seen;
    const { name = '', uid = '' } = set.metadata;
    const names = new PodNames(name, uid);
    const existing = pods.map((pod) => pod.metadata.name ?? '');
    const numbers = this.#numbers.next(uid, nodes.length, { names, existing, places: nodes });
    const { error } = await runInSlowStartBatches(nodes.length, async (index) => {
      const number = numbers[index] ?? 0;
      const place = nodes[index] ?? '';
      const draft = podFor(set, { node: place, hash, name: names.nameOf(number) });
      const make = (): Promise<void> => this.#control.create({ owner: set, key: cacheKey(set) }, draft, context);
      await this.#numbers.create(uid, { number, place }, make);
    });
    return error;
  }

  #tellEnded(set: DaemonSet, at: { readonly pod: Pod; readonly node: string }, context: SyncContext): void {
    const { events } = this.#options;
    const about = referenceTo(DAEMON_SETS, set);
    const which = `daemon pod ${cacheKey(at.pod)} on node ${at.node}`;
    if (at.pod.status?.phase === 'Failed') {
      events.event(about, 'Warning', 'FailedDaemonPod', `Found failed ${which}, will try to kill it`, context);
    } else {
      events.event(about, 'Normal', 'SucceededDaemonPod', `Found succeeded ${which}, will try to delete it`, context);
    }
  }

  async #report(seen: DaemonSeen, collisionCount: number, context: SyncContext): Promise<void> {
    const client = this.#options.client.resource(DAEMON_SETS, seen.set.metadata.namespace);
    const key = cacheKey(seen.set);
    const after = statusOf(seen, collisionCount);
    const all = after.desiredNumberScheduled;
    const ends = { up: { numberReady: all, numberAvailable: all }, down: DOWN };
    if (this.#reports.isPutOff(key, { before: seen.set.status, after, ends }, context)) return;
    await commitStatus({ client, context }, seen.set, (set) => {
      const conditions = set.status?.conditions;
      return { ...set, status: { ...after, ...(conditions === undefined ? {} : { conditions }) } };
    });
  }

  /** For what time alone changes: a pod that becomes available, a node that may be tried again. */
  #wakeLater({ set, pods, nowMs }: DaemonSeen, context: SyncContext): void {
    const minReadySeconds = set.spec.minReadySeconds ?? 0;
    for (const pod of pods) {
      if (isPodTerminating(pod)) continue;
      const wait = availableInMs(pod, minReadySeconds, nowMs);
      if (wait !== undefined && wait > 0) context.requeueAfter(wait);
      if (pod.status?.phase !== 'Failed') continue;
      const backoff = this.#failed.waitMs(failureKey(set, nodeOfPod(pod) ?? ''));
      if (backoff > 0) context.requeueAfter(backoff);
    }
  }
}

function historyOf(set: DaemonSet, revisions: readonly ControllerRevision[]) {
  return {
    ref: DAEMON_SETS,
    owner: set,
    template: set.spec.template,
    revisions,
    collisionCount: set.status?.collisionCount ?? 0,
    labels: (hash: string) => ({ ...set.spec.template.metadata.labels, [LABEL_REVISION]: hash }),
  };
}

/** The hash of a revision is in its label; where somebody took that away, in its name. */
function hashOf({ metadata }: ControllerRevision, set: DaemonSet): string {
  return metadata.labels?.[LABEL_REVISION] ?? (metadata.name ?? '').slice((set.metadata.name ?? '').length + 1);
}

function podFor(
  set: DaemonSet,
  as: { readonly node: string; readonly hash: string; readonly name: string },
): Draft<Pod> {
  const { template } = set.spec;
  const { name = '', namespace = '', annotations } = set.metadata;
  const owner = controllerReference(DAEMON_SETS, set);
  const draft = podFromTemplate(template, { name: as.name, prefix: `${name}-`, namespace, owner });
  const generation = annotations?.[wellknown.ANNOTATION_TEMPLATE_GENERATION];
  const labels = {
    ...draft.metadata.labels,
    ...(generation === undefined ? {} : { [wellknown.LABEL_TEMPLATE_GENERATION]: generation }),
    [LABEL_REVISION]: as.hash,
  };
  const affinity = affinityTo(as.node, template.spec.affinity);
  const spec = { ...template.spec, affinity, tolerations: tolerationsOf(template.spec) };
  return { ...draft, metadata: { ...draft.metadata, labels }, spec };
}

function selectsAll({ spec }: DaemonSet): boolean {
  return selectorFromObject(spec.selector ?? {}).requirements.length === 0;
}

function failureKey(set: DaemonSet, node: string): string {
  return `${set.metadata.uid ?? ''}/${set.metadata.generation ?? 0}/${node}`;
}
