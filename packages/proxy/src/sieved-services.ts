import type { NetworkError, NodeRules, ServiceNetwork, ServiceRules } from '@binnacle/network';
import { Sieve } from './sieve.ts';

type Changes = ReadonlyMap<string, ServiceRules | undefined>;

/** A node's Services on a machine that may refuse some: those are not there, and all others are. */
export class SievedServices {
  readonly #network: ServiceNetwork;
  readonly #sieve: Sieve;
  readonly #services = new Map<string, ServiceRules>();
  #node: NodeRules | undefined;

  /** `refused`: hears of each port of a Service, by the id of its rules, with what the machine says. */
  constructor(network: ServiceNetwork, refused: (id: string, error: NetworkError) => void) {
    this.#network = network;
    this.#sieve = new Sieve({
      ids: () => this.#services.keys(),
      make: (closed) => this.#make(closed),
      refused,
    });
  }

  /** How many are refused. */
  get refused(): number {
    return this.#sieve.size;
  }

  /** Some were not tried yet: `change` goes on with them. */
  get isUnfinished(): boolean {
    return this.#sieve.isUnfinished;
  }

  /** All of them. Throws NetworkError where the machine takes none. */
  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    this.#node = node;
    this.#services.clear();
    for (const [id, rules] of services) this.#services.set(id, rules);
    await this.#sieve.replace();
  }

  /** What changed. Throws NetworkError where the machine takes none. */
  async change(changes: Changes): Promise<void> {
    for (const [id, rules] of changes) {
      if (rules === undefined) this.#services.delete(id);
      else this.#services.set(id, rules);
    }
    if (changes.size > 0) await this.#sieve.change(changes.keys(), () => this.#network.change(changes));
    if (this.#sieve.isUnfinished) await this.#sieve.sift();
  }

  async #make(closed: ReadonlySet<string>): Promise<void> {
    if (this.#node === undefined) return;
    const open = closed.size === 0 ? this.#services : new Map([...this.#services].filter(([id]) => !closed.has(id)));
    await this.#network.replace(this.#node, open);
  }
}
