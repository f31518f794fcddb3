import type { ApiRequest } from '../api/request.ts';
import { isHeld, pauseCall, pauseCommand } from './pause.ts';
import type { Pause, PauseDeed } from './pause.ts';

/** Of one component so many wait for the one before; who presses more often than that is not heard. */
const WAITING_MAX = 16;

/** What was ordered of a component. */
interface Ordered {
  readonly last: Promise<void>;
  readonly waiting: number;
}

/**
 * The orders of one page. Each is made of what is known once the one before it has been answered: of two steps in quick
 * succession the second is a further step, although the page does not show the first one yet.
 */
export class PauseOrders {
  readonly #send: (call: ApiRequest) => Promise<unknown>;
  readonly #ordered = new Map<string, Ordered>();
  /** As the server answered last. */
  readonly #answered = new Map<string, Pause>();

  /** `send` answers with what the server said. */
  constructor(send: (call: ApiRequest) => Promise<unknown>) {
    this.#send = send;
  }

  /** `seen`: as the page shows it; `told` hears the command that does the same as what is called. Rejects as `send` does. */
  give(seen: Pause, deed: PauseDeed, told: (command: string) => void): Promise<void> {
    const { name } = seen.metadata;
    const { last, waiting } = this.#ordered.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    if (waiting >= WAITING_MAX) return Promise.resolve();
    const mine = last.then(() => this.#order(this.#latest(seen), deed, told));
    const settled = mine.then(
      () => this.#settle(name),
      () => this.#settle(name),
    );
    this.#ordered.set(name, { last: settled, waiting: waiting + 1 });
    return mine;
  }

  async #order(pause: Pause, deed: PauseDeed, told: (command: string) => void): Promise<void> {
    // It went on in the meantime: a step would hold it anew.
    if (deed === 'step' && !isHeld(pause)) return;
    told(pauseCommand(pause, deed));
    const answer = await this.#send(pauseCall(pause, deed));
    const { name } = pause.metadata;
    if (deed !== 'release') this.#answered.set(name, answer as Pause);
    else this.#answered.set(name, { apiVersion: pause.apiVersion, kind: pause.kind, metadata: pause.metadata });
  }

  #latest(seen: Pause): Pause {
    const answered = this.#answered.get(seen.metadata.name);
    return answered !== undefined && versionOf(answered) >= versionOf(seen) ? answered : seen;
  }

  #settle(name: string): void {
    const { last, waiting } = this.#ordered.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    if (waiting <= 1) this.#ordered.delete(name);
    else this.#ordered.set(name, { last, waiting: waiting - 1 });
  }
}

/** Of one process: they grow with each change. */
function versionOf({ metadata }: Pause): number {
  return Number(metadata.resourceVersion);
}
