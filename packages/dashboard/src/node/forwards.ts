import { status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { openForward } from './forward.ts';
import type { Forward, ForwardTarget, ForwardView, ForwardWorld } from './forward.ts';

const FORWARDS_MAX = 16;

/** The ports that one viewer has open. They end with the session. */
export class Forwards {
  readonly #wire: Wire;
  readonly #world: ForwardWorld;
  readonly #open = new Map<string, Forward>();
  #opening = 0;
  #isOver = false;

  constructor(wire: Wire, world: ForwardWorld) {
    this.#wire = wire;
    this.#world = world;
  }

  list(): readonly ForwardView[] {
    return [...this.#open.values()].map(({ view }) => view);
  }

  /** The one that is there, or a new one. Throws 429 where too many are open, and what the API server refuses. */
  async open(target: ForwardTarget): Promise<ForwardView> {
    const known = this.list().find((one) => isSame(one, target));
    if (known !== undefined) return known;
    if (this.#open.size + this.#opening >= FORWARDS_MAX) {
      throw status.tooManyRequests(`${FORWARDS_MAX} ports are open: close one first`, 1);
    }
    this.#opening++;
    try {
      const forward = await openForward(this.#wire, target, this.#world);
      if (this.#isOver) {
        await forward.close();
        throw status.conflict({ group: '', resource: 'pods' }, target.pod, 'the session is over');
      }
      forward.onClosed = () => this.#open.delete(forward.view.id);
      this.#open.set(forward.view.id, forward);
      return forward.view;
    } finally {
      this.#opening--;
    }
  }

  /** False: there is none of that name. */
  async end(id: string): Promise<boolean> {
    const forward = this.#open.get(id);
    await forward?.close();
    return forward !== undefined;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#open.keys()].map((id) => this.end(id)));
  }
}

function isSame(one: ForwardTarget, other: ForwardTarget): boolean {
  return one.namespace === other.namespace && one.pod === other.pod && one.port === other.port;
}
