import type { Clock, Gate, Intent, Timer } from '@binnacle/base';

/** How a component is held. */
export interface PauseOrder {
  /** So many steps it may take since it was held, in all. */
  readonly steps: number;
  /** After so long it goes on by itself. */
  readonly deadlineSeconds: number;
}

/** What waits at the gate. */
export interface WaitingStep extends Pick<Intent, 'what' | 'because'> {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** A component that can be held, as `pauses.trace.binnacle.dev` shows it. */
export interface ComponentPause {
  readonly component: string;
  /** Absent: it goes on. */
  readonly order?: PauseOrder;
  readonly passed: number;
  /** What it is about to do; a hundred at the most. */
  readonly waiting: readonly WaitingStep[];
  /** When it goes on by itself: milliseconds since the epoch. */
  readonly endsAtMs?: number;
}

const SHOWN_MAX = 100;

interface Waiting extends WaitingStep {
  readonly go: () => void;
}

interface Held {
  order: PauseOrder;
  passed: number;
  endsAtMs: number;
  timer: Timer;
  readonly waiting: Set<Waiting>;
}

/** The gate of one process: holds components that joined it, lets them go step by step, by a word or by their deadline. */
export class Pauses implements Gate {
  readonly #clock: Clock;
  readonly #components = new Set<string>();
  readonly #held = new Map<string, Held>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  join(component: string): void {
    this.#components.add(component);
  }

  pass(component: string, { what, because }: Intent, signal?: AbortSignal): Promise<void> | undefined {
    // Nobody is held: the usual case costs a look.
    if (this.#held.size === 0) return undefined;
    const held = this.#held.get(component);
    if (held === undefined || signal?.aborted === true) return undefined;
    if (held.waiting.size === 0 && held.passed < held.order.steps) {
      held.passed++;
      return undefined;
    }
    return new Promise((resolve) => {
      const go = (): void => {
        held.waiting.delete(one);
        signal?.removeEventListener('abort', go);
        resolve();
      };
      const one: Waiting = { what, ...(because === undefined ? {} : { because }), sinceMs: this.#clock.now(), go };
      held.waiting.add(one);
      signal?.addEventListener('abort', go, { once: true });
    });
  }

  /** All that can be held, by name. */
  list(): ComponentPause[] {
    return [...this.#components].toSorted().map((component) => this.#shown(component));
  }

  /** Undefined for what never joined. */
  get(component: string): ComponentPause | undefined {
    return this.#components.has(component) ? this.#shown(component) : undefined;
  }

  /** Holds a component that joined, or lets one that is held take further steps; its deadline begins anew. */
  hold(component: string, order: PauseOrder): void {
    if (this.#closed) return;
    const known = this.#held.get(component);
    known?.timer.cancel();
    const delayMs = order.deadlineSeconds * 1000;
    const timer = this.#clock.after(delayMs, () => this.release(component), { background: true });
    const held = known ?? { order, passed: 0, endsAtMs: 0, timer, waiting: new Set<Waiting>() };
    Object.assign(held, { order, timer, endsAtMs: this.#clock.now() + delayMs });
    this.#held.set(component, held);
    for (const one of [...held.waiting]) {
      if (held.passed >= order.steps) break;
      held.passed++;
      one.go();
    }
  }

  /** It goes on. Answers whether it was held. */
  release(component: string): boolean {
    const held = this.#held.get(component);
    if (held === undefined) return false;
    this.#held.delete(component);
    held.timer.cancel();
    for (const one of [...held.waiting]) one.go();
    return true;
  }

  /** All go on, and nobody is held any more. */
  close(): void {
    this.#closed = true;
    for (const component of [...this.#held.keys()]) this.release(component);
  }

  #shown(component: string): ComponentPause {
    const held = this.#held.get(component);
    if (held === undefined) return { component, passed: 0, waiting: [] };
    const waiting = [...held.waiting].slice(0, SHOWN_MAX).map(({ go: _go, ...shown }) => shown);
    return { component, order: held.order, passed: held.passed, waiting, endsAtMs: held.endsAtMs };
  }
}
