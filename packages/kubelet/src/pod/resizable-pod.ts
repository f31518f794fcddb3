import type { Pod } from '@binnacle/api/core/v1';
import type { ResizeClaim } from '../resize/fit.ts';
import { allocationOf, asksOtherwise } from '../resize/allocation.ts';
import { PodResizing } from './resizing.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { ResizeSeen } from './seen.ts';
import type { PodWorld } from './world.ts';

/** A pod as its source has it, and as its containers have it: the same until it asks for other resources. */
export class ResizablePod {
  readonly #world: PodWorld;
  #asked: Pod;
  #given: Pod;
  // Most pods never ask.
  #resizing: PodResizing | undefined;
  #isRecalled: boolean;

  /** `isNew`: nothing of it ran here before, so there is nothing to recall. */
  constructor(world: PodWorld, pod: Pod, isNew: boolean) {
    this.#world = world;
    this.#asked = pod;
    this.#given = pod;
    this.#isRecalled = isNew;
  }

  /** With what its containers were given. */
  get given(): Pod {
    return this.#given;
  }

  /** As its source has it. */
  get asked(): Pod {
    return this.#asked;
  }

  /** Its resize that waits for room. */
  get claim(): ResizeClaim | undefined {
    return this.#resizing?.claim(this.#asked);
  }

  /** Whether it is known what it was given before the kubelet started again. */
  get isRecalled(): boolean {
    return this.#isRecalled;
  }

  async recall(view: RuntimeView): Promise<void> {
    this.#resizing = await PodResizing.recall(this.#world, this.#asked, view);
    this.#isRecalled = true;
    this.#given = this.#resizing?.given(this.#asked) ?? this.#asked;
  }

  /** A definition, and from the first on that asks for other resources than a pod has that was taken in: what is given. */
  take(asked: Pod, isAdmitted: boolean): void {
    if (this.#resizing === undefined && isAdmitted && this.#isRecalled) {
      const given = allocationOf(this.#given);
      if (asksOtherwise(asked, given)) this.#resizing = new PodResizing(this.#world, given);
    }
    this.#asked = asked;
    this.#given = this.#resizing?.given(asked) ?? asked;
  }

  /** Synchronous: of two that ask for the same room one comes first. */
  decide(): void {
    if (this.#resizing?.decide(this.#asked) !== true) return;
    this.#given = this.#resizing.given(this.#asked);
    this.#world.roomChanged();
  }

  seen(view: RuntimeView): ResizeSeen | undefined {
    return this.#resizing?.seen(this.#given, view);
  }

  /** Changes containers as they run. */
  async actuate(view: RuntimeView): Promise<void> {
    await this.#resizing?.actuate(this.#given, view);
  }

  /** Whether all have what they were given; if not, it is to be tried again. */
  async settle(view: RuntimeView): Promise<'again' | 'settled'> {
    return (await this.#resizing?.settle(this.#given, view)) ?? 'settled';
  }
}
