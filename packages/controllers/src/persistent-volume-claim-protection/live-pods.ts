import type { Clock } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';

/** Nobody goes by what was seen longer ago, ms. */
const AGE_MS_MAX = 5000;

interface Look {
  readonly number: number;
  readonly atMs: number;
  readonly pods: Promise<readonly Pod[]>;
}

/**
 * The pods of a namespace as the server says, asked once for all claims that were to go by then: a namespace with thousands of
 * claims and pods is emptied at once, and each claim looks at all pods.
 */
export class LivePods {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Counts what claims were seen to go and looks, in the order of their coming. */
  #number = 0;
  readonly #going = new Map<string, number>();
  readonly #looks = new Map<string, Look>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The claim of this key is to go. */
  goes(key: string): void {
    if (!this.#going.has(key)) this.#going.set(key, ++this.#number);
  }

  gone(key: string): void {
    this.#going.delete(key);
    if (this.#going.size === 0) this.#looks.clear();
  }

  /**
   * Whether one of the pods uses the claim, by a look that began when it was to go already; one from a moment ago is enough to say
   * that nobody does. Throws what `list` throws.
   */
  async anyOf(
    { key, namespace }: { readonly key: string; readonly namespace: string },
    uses: (pod: Pod) => boolean,
    list: () => Promise<readonly Pod[]>,
  ): Promise<boolean> {
    const known = this.#looks.get(namespace);
    const since = this.#going.get(key) ?? Infinity;
    const isUsable = known !== undefined && known.number > since && !this.#isOld(known);
    if (isUsable && !(await known.pods).some(uses)) return false;
    return (await this.#look(namespace, list)).some(uses);
  }

  #look(namespace: string, list: () => Promise<readonly Pod[]>): Promise<readonly Pod[]> {
    for (const [other, look] of this.#looks) if (this.#isOld(look)) this.#looks.delete(other);
    const look = { number: ++this.#number, atMs: this.#clock.monotonic(), pods: list() };
    this.#looks.set(namespace, look);
    // A look that failed tells nothing to anybody.
    look.pods.catch(() => this.#looks.get(namespace) === look && this.#looks.delete(namespace));
    return look.pods;
  }

  #isOld({ atMs }: Look): boolean {
    return this.#clock.monotonic() - atMs > AGE_MS_MAX;
  }
}
