import type { Node, Pod } from '@binnacle/api/core/v1';
import type { ClusterEvent } from '../framework.ts';
import { demandOf } from './demand.ts';
import type { PodDemand } from './demand.ts';
import { NodeColumns } from './node-columns.ts';

interface Booking {
  readonly node: string;
  readonly demand: PodDemand;
  /** Decided here, not yet seen in the API. */
  assumed: boolean;
}

/**
 * Which pod is on which node, as the API says and as was just decided. A pod may be seen before its node:
 * its booking waits for the node.
 */
export class ClusterState {
  readonly nodes = new NodeColumns();
  readonly #bookings = new Map<string, Booking>();
  readonly #byNode = new Map<string, Set<string>>();

  /** Takes over a node's state. Says which event that is, if any pod could care. */
  setNode(node: Node): ClusterEvent | undefined {
    const name = node.metadata.name ?? '';
    const before = this.nodes.slotOf(name);
    const old = before === undefined ? undefined : this.nodes.nodes[before];
    const slot = this.nodes.setNode(node);
    if (old !== undefined) return schedulingDiffers(old, node) ? 'NodeUpdate' : undefined;
    for (const uid of this.#byNode.get(name) ?? []) {
      const booking = this.#bookings.get(uid);
      if (booking !== undefined) this.nodes.book(slot, booking.demand, 1);
    }
    return 'NodeAdd';
  }

  removeNode(name: string): void {
    this.nodes.removeNode(name);
  }

  /** Books a pod that was just given to a node, before the API knows. */
  assume(demand: PodDemand, node: string): void {
    this.#book({ node, demand, assumed: true });
  }

  /** Takes an assumption back. */
  forget(uid: string): void {
    if (this.#bookings.get(uid)?.assumed === true) this.#unbook(uid);
  }

  /** The API says that the pod is on its node. */
  confirm(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const booking = this.#bookings.get(uid);
    const node = pod.spec.nodeName ?? '';
    if (booking !== undefined && booking.node === node && booking.demand.pod.spec === pod.spec) return;
    if (booking?.assumed === true && booking.node === node) {
      booking.assumed = false;
      return;
    }
    this.#unbook(uid);
    this.#book({ node, demand: demandOf(pod), assumed: false });
  }

  /** The pod is gone or over. Returns whether it held anything. */
  release(uid: string): boolean {
    return this.#unbook(uid);
  }

  isBooked(uid: string): boolean {
    return this.#bookings.has(uid);
  }

  #book(booking: Booking): void {
    const uid = booking.demand.uid;
    this.#bookings.set(uid, booking);
    const set = this.#byNode.get(booking.node) ?? new Set();
    this.#byNode.set(booking.node, set.add(uid));
    const slot = this.nodes.slotOf(booking.node);
    if (slot !== undefined) this.nodes.book(slot, booking.demand, 1);
  }

  #unbook(uid: string): boolean {
    const booking = this.#bookings.get(uid);
    if (booking === undefined) return false;
    this.#bookings.delete(uid);
    const set = this.#byNode.get(booking.node);
    set?.delete(uid);
    if (set?.size === 0) this.#byNode.delete(booking.node);
    const slot = this.nodes.slotOf(booking.node);
    if (slot !== undefined) this.nodes.book(slot, booking.demand, -1);
    return true;
  }
}

/** Whether a node changed in anything that a filter or score looks at. Heartbeats do not count. */
function schedulingDiffers(before: Node, after: Node): boolean {
  if (before.spec.unschedulable !== after.spec.unschedulable) return true;
  const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  return !(
    same(before.spec.taints, after.spec.taints) &&
    same(before.metadata.labels, after.metadata.labels) &&
    same(before.status?.allocatable, after.status?.allocatable)
  );
}
