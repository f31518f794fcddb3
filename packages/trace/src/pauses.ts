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
  /** Of its last change. */
  readonly version: number;
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
  readonly #changedAt = new Map<string, number>();
  readonly #followers = new Set<() => void>();
  #version: number;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Of another process before this one, no version is younger.
    this.#version = Math.max(1, Math.floor(clock.now()));
  }

  join(component: string): void {
    if (this.#components.has(component)) return;
    this.#components.add(component);
    this.#mark(component);
  }

  /** Grows with each change of any component. */
  get version(): number {
    return this.#version;
  }

  /** Tells of each change; what comes back ends it. */
  follow(listener: () => void): () => void {
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  pass(component: string, { what, because }: Intent, signal?: AbortSignal): Promise<void> | undefined {
    // Nobody is held: the usual case costs a look.
    if (this.#held.size === 0) return undefined;
    const held = this.#held.get(component);
    if (held === undefined || signal?.aborted === true) return undefined;
    if (held.waiting.size === 0 && held.passed < held.order.steps) {
      held.passed++;
      this.#mark(component);
      return undefined;
    }
    return new Promise((resolve) => {
      const go = (): void => {
        held.waiting.delete(one);
        signal?.removeEventListener('abort', go);
        this.#mark(component);
        resolve();
      };
      const one: Waiting = { what, ...(because === undefined ? {} : { because }), sinceMs: this.#clock.now(), go };
      held.waiting.add(one);
      signal?.addEventListener('abort', go, { once: true });
      this.#mark(component);
    });
  }

  /** All that can be held, by name. */
  list(): ComponentPause[] {
    return [...this.#components].toSorted().map((component) => this.#shown(component));
  }

  /** Those that changed after a version, by name. */
  changedAfter(version: number): ComponentPause[] {
    return this.list().filter(({ component }) => (this.#changedAt.get(component) ?? 0) > version);
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
    this.#mark(component);
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
    this.#mark(component);
    for (const one of [...held.waiting]) one.go();
    return true;
  }

  /** All go on, and nobody is held any more. */
  close(): void {
    this.#closed = true;
    for (const component of [...this.#held.keys()]) this.release(component);
  }

  #mark(component: string): void {
    this.#changedAt.set(component, ++this.#version);
    for (const tell of this.#followers) tell();
  }

  #shown(component: string): ComponentPause {
    const held = this.#held.get(component);
    const version = this.#changedAt.get(component) ?? 0;
    if (held === undefined) return { component, version, passed: 0, waiting: [] };
    const waiting = [...held.waiting].slice(0, SHOWN_MAX).map(({ go: _go, ...shown }) => shown);
    return { component, version, order: held.order, passed: held.passed, waiting, endsAtMs: held.endsAtMs };
  }
}
