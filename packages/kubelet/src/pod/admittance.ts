/** Whether one pod was taken in: asked once, and for good. */
import { messageOf } from '@binnacle/base';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { misplaced } from './placement.ts';
import type { PodWorld, Rejection } from './world.ts';

export class Admittance {
  readonly #world: PodWorld;
  #isGiven: boolean;

  /** What ran here before (`adopted`) was taken in before the kubelet restarted. */
  constructor(world: PodWorld, adopted: boolean) {
    this.#world = world;
    this.#isGiven = adopted;
  }

  /** Its room is taken; its place, or what it is to be given, may be refused still. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** Why the pod is not taken in; undefined: it is. Never rejects. */
  async refusal(pod: Pod): Promise<Rejection | undefined> {
    if (this.#isGiven) return undefined;
    // Its room is taken before anything is waited for: of two pods that want the same one comes first.
    let full = this.#world.admit(pod);
    if (full?.mayBeOld === true) full = this.#world.admit(pod, await this.#nodeNow());
    this.#isGiven = full === undefined;
    const early = full ?? misplaced(this.#world, pod);
    return (early === undefined ? undefined : await early) ?? (await this.#world.given.alignment?.give(pod));
  }

  /** Undefined: it cannot be told. */
  async #nodeNow(): Promise<Node | undefined> {
    const { apiNode, log } = this.#world;
    try {
      return await apiNode()?.read();
    } catch (error) {
      log.warn('The node could not be read again, a pod is judged by what was known', { reason: messageOf(error) });
      return undefined;
    }
  }
}
