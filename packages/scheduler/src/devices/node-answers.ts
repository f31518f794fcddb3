import { RecentTable } from '@binnacle/base';
import type { NodeColumns } from '../plan/node-columns.ts';
import type { AllocatedDevices } from './allocated-devices.ts';
import type { DeviceInventory } from './inventory.ts';

/** Kinds of pods whose answers are kept. */
const KEPT_MAX = 128;

/** What is known of a node: nothing, whether it has the devices. */
export const UNKNOWN = 0;
export const YES = 1;
export const NO = 2;
export type Answer = typeof UNKNOWN | typeof YES | typeof NO;

/** What nodes answered to pods that ask for the same, by slot. */
export class SlotAnswers {
  #answers = new Uint8Array(0);
  #yes = 0;
  /** Up to which change of nodes, and of what is given, they hold. */
  touches = 0;
  version = 0;

  at(slot: number): Answer {
    return (this.#answers[slot] ?? UNKNOWN) as Answer;
  }

  set(slot: number, answer: Answer): void {
    if (slot >= this.#answers.length) {
      const longer = new Uint8Array(Math.max(64, slot * 2));
      longer.set(this.#answers);
      this.#answers = longer;
    }
    if (this.#answers[slot] === YES) this.#yes--;
    if (answer === YES) this.#yes++;
    this.#answers[slot] = answer;
  }

  clear(): void {
    this.#answers.fill(UNKNOWN);
    this.#yes = 0;
  }

  /** Whether all nodes, of which there are so many, have the devices. */
  areAllYes(nodes: number): boolean {
    return this.#yes === nodes;
  }
}

/**
 * Which nodes have the devices that pods of one kind ask for. Kept from pod to pod: a pod that gets devices changes the pools of
 * its node, and that node alone is looked at again for the next pod.
 */
export class NodeAnswers {
  readonly #allocated: AllocatedDevices;
  readonly #inventory: DeviceInventory;
  #kept = new RecentTable<SlotAnswers>(KEPT_MAX);
  #slices = 0;

  constructor(allocated: AllocatedDevices, inventory: DeviceInventory) {
    this.#allocated = allocated;
    this.#inventory = inventory;
  }

  /** Whatever was said is not true any more: classes have changed. */
  forget(): void {
    this.#kept = new RecentTable(KEPT_MAX);
  }

  /** Answers that hold now; what is unknown, or may have changed, is UNKNOWN. Valid until the next call. */
  of(likeness: string, nodes: NodeColumns): SlotAnswers {
    if (this.#slices !== this.#inventory.version) this.forget();
    this.#slices = this.#inventory.version;
    let answers = this.#kept.get(likeness);
    if (answers === undefined) this.#kept.set(likeness, (answers = new SlotAnswers()));
    else this.#catchUp(answers, nodes);
    answers.touches = nodes.touches;
    answers.version = this.#allocated.version;
    return answers;
  }

  #catchUp(answers: SlotAnswers, nodes: NodeColumns): void {
    let isAll = !nodes.touchedSince(answers.touches, (slot) => answers.set(slot, UNKNOWN));
    const isKnown = this.#allocated.changedSince(answers.version, (pool) => {
      const node = this.#inventory.nodeOf(pool);
      // Of one that several nodes reach nobody keeps which they are.
      if (node === '') isAll = true;
      const slot = node === undefined ? undefined : nodes.slotOf(node);
      if (slot !== undefined) answers.set(slot, UNKNOWN);
    });
    if (isAll || !isKnown) answers.clear();
  }
}
