import type { NetworkError, PolicyChanges, PolicyNetwork, PolicyState } from '@binnacle/network';
import { Sieve } from '../sieve.ts';

type Part = keyof PolicyState;
const PARTS: readonly Part[] = ['groups', 'destinations', 'policies', 'pods'];
const NOBODY: ReadonlySet<string> = new Set();
const NOTHING: PolicyState = { groups: new Map(), destinations: new Map(), policies: new Map(), pods: new Map() };

/** What is sieved, and who is told. */
export interface SievedPoliciesOptions {
  readonly network: PolicyNetwork;
  /** Everything that is wanted now; what came before is among it, and not told as a change again. */
  readonly all: () => PolicyState;
  /** Hears of each thing that is refused: its part of the state, its id there, and what the machine says. */
  readonly refused: (part: string, id: string, error: NetworkError) => void;
}

/**
 * A node's policies on a machine that may refuse some. What is refused lets nobody through: a policy allows nothing, a group
 * of peers is empty, a pod that is held back is held back from everybody.
 */
export class SievedPolicies {
  readonly #options: SievedPoliciesOptions;
  readonly #sieve: Sieve;
  /** While it is being made; the table and the machine remember it for us otherwise. */
  #state = NOTHING;

  constructor(options: SievedPoliciesOptions) {
    this.#options = options;
    this.#sieve = new Sieve({
      ids: () => idsOf(this.#state),
      make: (closed) => options.network.replace(closing(this.#state, closed)),
      refused: (whole, error) => {
        const at = whole.indexOf(' ');
        options.refused(whole.slice(0, at), whole.slice(at + 1), error);
      },
    });
  }

  /** How many things are refused. */
  get refused(): number {
    return this.#sieve.size;
  }

  /** Some were not tried yet: `change` goes on with them. */
  get isUnfinished(): boolean {
    return this.#sieve.isUnfinished;
  }

  /** All of it. Throws NetworkError where the machine takes nothing. */
  replace(): Promise<void> {
    return this.#making(() => this.#sieve.replace());
  }

  /** What changed. Throws NetworkError where the machine takes nothing. */
  async change(changes: PolicyChanges): Promise<void> {
    const { network, all } = this.#options;
    const ids = [...idsOf(changes)];
    const apply = async (): Promise<void> => {
      try {
        await network.change(changes);
      } catch (error) {
        this.#state = all();
        throw error;
      }
    };
    if (ids.length > 0) await this.#sieve.change(ids, apply).finally(() => (this.#state = NOTHING));
    if (this.#sieve.isUnfinished) await this.#making(() => this.#sieve.sift());
  }

  async #making(work: () => Promise<void>): Promise<void> {
    this.#state = this.#options.all();
    try {
      await work();
    } finally {
      this.#state = NOTHING;
    }
  }
}

function* idsOf(state: PolicyState | PolicyChanges): Generator<string> {
  for (const part of PARTS) for (const id of state[part].keys()) yield idOf(part, id);
}

function idOf(part: Part, id: string): string {
  return `${part} ${id}`;
}

function closing(state: PolicyState, closed: ReadonlySet<string>): PolicyState {
  if (closed.size === 0) return state;
  const close = <T>(part: Part, all: ReadonlyMap<string, T>, asClosed: (one: T) => T): Map<string, T> =>
    new Map([...all].map(([id, one]) => [id, closed.has(idOf(part, id)) ? asClosed(one) : one]));
  return {
    groups: close('groups', state.groups, () => NOBODY),
    destinations: close('destinations', state.destinations, () => NOBODY),
    policies: close('policies', state.policies, ({ direction }) => ({ direction, allowances: [] })),
    pods: close('pods', state.pods, ({ addresses, ingress, egress }) => ({
      addresses,
      ...(ingress === undefined ? {} : { ingress: [] }),
      ...(egress === undefined ? {} : { egress: [] }),
    })),
  };
}
