import { isPodTerminal, NODES, PODS } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { Scope } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, Informer } from '@binnacle/client';
import { deepEqual } from '@binnacle/machinery';
import type { ClusterState } from './plan/cluster-state.ts';
import { demandOf } from './plan/demand.ts';
import type { PodDemand } from './plan/demand.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';

/** Where what the watches bring is kept. */
export interface WatchOutput {
  readonly state: ClusterState;
  readonly queue: Pick<SchedulingQueue, 'add' | 'event' | 'remove'>;
  /** Whether it names one of our profiles. */
  readonly isOurs: (pod: Pod) => boolean;
  /** The status of a pod that waits names another node, or none (the empty name), than before. */
  readonly nominated: (demand: PodDemand, node: string) => void;
  /** By its uid: it was deleted, or has ended, before it was placed. */
  readonly pendingPodGone: (uid: string) => void;
}

/** What the watches of nodes and pods bring: nodes and placed pods into the state, pods that wait into the queue. */
export class ClusterWatch {
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #state: ClusterState;
  readonly #queue: WatchOutput['queue'];
  readonly #isOurs: WatchOutput['isOurs'];
  readonly #nominated: WatchOutput['nominated'];
  readonly #pendingPodForgotten: WatchOutput['pendingPodGone'];

  constructor({ client, world }: { readonly client: Client; readonly world: ClientWorld }, output: WatchOutput) {
    this.#state = output.state;
    this.#queue = output.queue;
    this.#isOurs = output.isOurs;
    this.#nominated = output.nominated;
    this.#pendingPodForgotten = output.pendingPodGone;
    this.#nodes = createInformer(client, NODES, world);
    this.#pods = createInformer(client, PODS, world, { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' });
    this.#nodes.subscribe({
      add: (node) => this.#nodeSeen(undefined, node),
      update: (before, node) => this.#nodeSeen(before, node),
      remove: (node) => this.#nodeGone(node),
    });
    this.#pods.subscribe({
      add: (pod) => this.#podSeen(undefined, pod),
      update: (before, pod) => this.#podSeen(before, pod),
      remove: (pod) => this.#podGone(pod),
    });
  }

  startNodes(scope: Scope): void {
    this.#nodes.start(scope);
  }

  startPods(scope: Scope): void {
    this.#pods.start(scope);
  }

  /** Resolves once all that was there at the start is in. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#nodes.whenSynced(signal), this.#pods.whenSynced(signal)]);
  }

  /** A pod as it is by now; undefined: it is gone, or has its node. */
  pending(demand: PodDemand): PodDemand | undefined {
    const pod = this.#pods.get(demand.key);
    if (pod === demand.pod) return demand;
    return pod?.metadata.uid === demand.uid && isPending(pod) ? demandOf(pod) : undefined;
  }

  #nodeSeen(before: Node | undefined, after: Node): void {
    if (!this.#state.setNode(after)) return;
    if (before === undefined) this.#queue.event({ resource: 'nodes', action: 'add', after });
    else this.#queue.event({ resource: 'nodes', action: 'update', before, after });
  }

  #nodeGone(before: Node): void {
    this.#state.removeNode(before.metadata.name ?? '');
    this.#queue.event({ resource: 'nodes', action: 'delete', before });
  }

  #podSeen(before: Pod | undefined, pod: Pod): void {
    if (isPodTerminal(pod)) {
      this.#podGone(pod);
      return;
    }
    if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') {
      this.#placedPodSeen(before, pod);
      return;
    }
    if (!this.#isOurs(pod) || this.#state.isBooked(pod.metadata.uid ?? '')) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#pendingPodGone(pod);
      return;
    }
    const nominated = pod.status?.nominatedNodeName ?? '';
    if (nominated !== (before?.status?.nominatedNodeName ?? '')) this.#nominated(demandOf(pod), nominated);
    if (before !== undefined && !schedulingSpecDiffers(before, pod)) return;
    const change = before === undefined ? {} : { before };
    this.#queue.add(demandOf(pod), { resource: 'pendingpods', action: 'update', ...change, after: pod });
  }

  #placedPodSeen(before: Pod | undefined, pod: Pod): void {
    const isNew = before?.spec.nodeName === undefined;
    if (isNew) this.#queue.remove(keyOf(pod));
    const differs = this.#state.confirm(pod);
    if (isNew) this.#queue.event({ resource: 'pods', action: 'add', after: pod });
    else if (differs) this.#queue.event({ resource: 'pods', action: 'update', before, after: pod });
  }

  #podGone(before: Pod): void {
    if (before.spec.nodeName === undefined || before.spec.nodeName === '') this.#pendingPodGone(before);
    if (this.#state.release(before.metadata.uid ?? '')) {
      this.#queue.event({ resource: 'pods', action: 'delete', before });
    }
  }

  #pendingPodGone(before: Pod): void {
    this.#queue.remove(keyOf(before));
    this.#state.nominate(demandOf(before), '');
    this.#pendingPodForgotten(before.metadata.uid ?? '');
    this.#queue.event({ resource: 'pendingpods', action: 'delete', before });
  }
}

/** Whether somebody should find a node for it. */
function isPending(pod: Pod): boolean {
  const { nodeName = '' } = pod.spec;
  return !isPodTerminal(pod) && nodeName === '' && pod.metadata.deletionTimestamp === undefined;
}

function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
}

/** Whether an update of an unscheduled pod is worth another look: its own status updates are not. */
function schedulingSpecDiffers(before: Pod, after: Pod): boolean {
  if (before.metadata.uid !== after.metadata.uid) return true;
  return (
    !deepEqual(before.spec, after.spec) ||
    !deepEqual(before.metadata.labels, after.metadata.labels) ||
    !deepEqual(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses)
  );
}
