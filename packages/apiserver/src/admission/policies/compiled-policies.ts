import type { Pieces } from '@binnacle/base';
import { inTurns, SharedWork } from '../../request/turns.ts';
import type { Turning } from '../../request/turns.ts';

/**
 * What policies were compiled to, each once, with the first request that meets it. A policy may have thousands of
 * expressions, and those who meet it meanwhile wait for the same work.
 */
export class CompiledPolicies<P extends object, C> {
  readonly #works = new WeakMap<P, SharedWork<C>>();

  /** Others have their turn between the pieces. */
  of(policy: P, turns: Turning, compile: () => Pieces<C>): C | Promise<C> {
    let work = this.#works.get(policy);
    if (work === undefined) this.#works.set(policy, (work = new SharedWork(compile)));
    return work.value ?? inTurns(work.rest(), turns);
  }
}
