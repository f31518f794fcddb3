/** Whether one pod was taken in: asked once, and for good. */
import { messageOf } from '@binnacle/base';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { OrInterrupted } from '../volume/driver.ts';
import { isCritical } from '../container/critical.ts';
import { misplaced } from './placement.ts';
import { needText } from './preemption.ts';
import type { PodWorld, Rejection, Shortage } from './world.ts';

export class Admittance {
  readonly #world: PodWorld;
  #isGiven: boolean;

  /** What ran here before (`adopted`) was taken in before the kubelet restarted. */
  constructor(world: PodWorld, adopted: boolean) {
    this.#world = world;
    this.#isGiven = adopted;
    if (adopted) world.recount();
  }

  /** Its room is taken; its place, or what it is to be given, may be refused still. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  /**
   * Why the pod is not taken in; undefined: it is. Rejects only as `orInterrupted` does, through which it waits for others that
   * end for it.
   */
  async refusal(pod: Pod, orInterrupted: OrInterrupted): Promise<Rejection | undefined> {
    if (this.#isGiven) return undefined;
    // Its room is taken before anything is waited for: of two pods that want the same one comes first.
    let full = this.#world.admit(pod);
    if (full?.mayBeOld === true) full = this.#world.admit(pod, await this.#nodeNow());
    if (full?.short !== undefined && isCritical(pod)) return this.#inPlaceOfOthers(pod, orInterrupted);
    this.#isGiven = full === undefined;
    const early = full ?? misplaced(this.#world, pod);
    return (early === undefined ? undefined : await early) ?? (await this.#world.given.alignment?.give(pod));
  }

  /** There is no room for a pod that the node cannot do without: others end, unless it would be sent away all the same. */
  async #inPlaceOfOthers(pod: Pod, orInterrupted: OrInterrupted): Promise<Rejection | undefined> {
    const world = this.#world;
    // As upstream: what it is to have alone is given before anybody ends for it. Who is sent away gives it back.
    const anyway =
      world.refusedAnyway(pod) ?? (await misplaced(world, pod)) ?? (await world.given.alignment?.give(pod));
    if (anyway !== undefined) return anyway;
    // That may have taken as long as a plugin does: nobody ends for one that is let go of by now.
    await orInterrupted(Promise.resolve());
    // Others may have gone meanwhile.
    const full = world.admit(pod);
    const made = full?.short === undefined ? undefined : world.makeRoom(pod, full.short);
    if (full !== undefined && made === undefined) {
      world.given.alignment?.release(pod.metadata.uid ?? '');
      return full.short === undefined ? full : unmade(full.short);
    }
    this.#isGiven = true;
    if (made !== undefined) await orInterrupted(made);
    return undefined;
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

/** In upstream's words. */
function unmade(short: readonly Shortage[]): Rejection {
  const why = `no set of running pods found to reclaim resources: ${needText(short)}`;
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${why}`,
  };
}
