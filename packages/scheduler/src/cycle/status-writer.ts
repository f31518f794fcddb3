import { getPodCondition, PODS } from '@binnacle/api';
import { formatTime, orAborted } from '@binnacle/base';
import type { CallContext, Scope } from '@binnacle/base';
import { observedCause } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { HeldBackError } from '../errors.ts';
import type { PodDemand } from '../plan/demand.ts';
import { HeldPods } from '../queue/held-pods.ts';

/** Why a pod has no node, as its status says it. */
export interface UnscheduledStatus {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The node that it waits for; the empty text: for none any more. Absent: as it was. */
  readonly nominatedNode?: string;
}

/** Why a pod is not on the node that was chosen for it: somebody held it back, or something went wrong. */
export function failureReason(error: unknown): UnscheduledStatus['reason'] {
  return error instanceof HeldBackError ? 'Unschedulable' : 'SchedulerError';
}

export interface StatusWriterOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  /** A pod that is not let into the queue has waited long enough to be told why. */
  readonly tellHeld: (demand: PodDemand) => void;
}

/** So long a pod that is not let into the queue is told nothing: what most of them lack is being made already (KEP-5501). */
const HELD_MS = 5_000;
/** So long nobody is told of the node that a pod is on its way to: most are there before anybody could have read it. */
const ON_ITS_WAY_MS = 1_000;

/** Writes PodScheduled=False and the nominated node, only where they say something new. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** The uids of pods whose status names the node that they are on their way to. */
  readonly #expected = new Set<string>();
  /** What is on its way about a pod, by its uid: what is said later arrives later. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Where pods are going to, by uid, as long as nobody was told. */
  readonly #ways = new Map<string, string>();
  readonly #held: HeldPods;
  readonly #onTheirWay: HeldPods;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    const { clock } = options.world;
    this.#held = new HeldPods({ clock, patienceMs: HELD_MS, tell: options.tellHeld });
    const tell = (demand: PodDemand): void => this.#tellWay(demand);
    this.#onTheirWay = new HeldPods({ clock, patienceMs: ON_ITS_WAY_MS, tell });
    options.scope.defer(() => {
      this.#held.close();
      this.#onTheirWay.close();
    });
  }

  /** The pod is not let into the queue. */
  hold(demand: PodDemand): void {
    this.#held.hold(demand);
  }

  /** It is let in, or gone. */
  release(uid: string): void {
    this.#held.release(uid);
  }

  write(demand: PodDemand, { reason, message, nominatedNode }: UnscheduledStatus): void {
    const { world } = this.#options;
    const { pod } = demand;
    const current = getPodCondition(pod, 'PodScheduled');
    const isKnown = current?.status === 'False' && current.reason === reason && current.message === message;
    const wasExpected = this.forget(demand);
    const isNomination =
      nominatedNode !== undefined && (wasExpected || nominatedNode !== (pod.status?.nominatedNodeName ?? ''));
    if (isKnown && !isNomination) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastTransitionTime: current?.status === 'False' ? current.lastTransitionTime : formatTime(world.clock.now()),
      lastProbeTime: null,
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    };
    this.#patch(demand, {
      ...(isKnown ? {} : { conditions: [condition] }),
      ...(isNomination ? { nominatedNodeName: nominatedNode === '' ? null : nominatedNode } : {}),
    });
  }

  /**
   * The pod goes to a node once others have done their part: who counts on nodes (an autoscaler) is told (KEP-5278), unless
   * they are quick.
   */
  expect(demand: PodDemand, node: string): void {
    if (demand.pod.status?.nominatedNodeName === node) return;
    this.#ways.set(demand.uid, node);
    this.#onTheirWay.hold(demand);
  }

  /** The pod is on its node (the API takes the name out itself), or gone, or goes nowhere. Whether its status named the node. */
  forget({ uid }: Pick<PodDemand, 'uid'>): boolean {
    this.#onTheirWay.release(uid);
    this.#ways.delete(uid);
    return this.#expected.delete(uid);
  }

  /** Takes a nomination out of a pod's status. */
  withdrawNomination(demand: PodDemand): void {
    this.#patch(demand, { nominatedNodeName: null });
  }

  #tellWay(demand: PodDemand): void {
    const node = this.#ways.get(demand.uid);
    if (node === undefined || this.#options.scope.closing) return;
    this.#ways.delete(demand.uid);
    this.#expected.add(demand.uid);
    this.#patch(demand, { nominatedNodeName: node });
  }

  #patch({ key, pod, uid: demandUid }: PodDemand, value: unknown): void {
    const { client, scope } = this.#options;
    const { namespace = '', name = '', uid } = pod.metadata;
    const before = this.#underWay.get(demandUid);
    const told = Promise.withResolvers<void>();
    this.#underWay.set(demandUid, told.promise);
    const end = (): void => {
      if (this.#underWay.get(demandUid) === told.promise) this.#underWay.delete(demandUid);
      told.resolve();
    };
    const write = async (signal: AbortSignal): Promise<void> => {
      if (before !== undefined) await orAborted(before, signal);
      const component = pod.spec.schedulerName ?? 'default-scheduler';
      const context: CallContext = { signal, cause: observedCause(component, pod, `status of pod ${key}`) };
      const patch = { metadata: { uid }, status: value };
      try {
        await client.resource(PODS, namespace).patch(name, 'strategic', patch, { subresource: 'status' }, context);
      } catch (error) {
        // The pod is gone, is another one by now, or is bound already and takes no nomination.
        const isMoot = status.isNotFound(error) || status.isConflict(error) || status.isInvalid(error);
        if (!isMoot) throw error;
      }
    };
    scope.run(`status ${key}`, (signal) => write(signal).finally(end));
  }
}
