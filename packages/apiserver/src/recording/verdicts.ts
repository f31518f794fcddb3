import { RecentTable } from '@binnacle/base';
import type { AdmittedBy } from './record.ts';

/** What was decided about a request. */
export interface Verdict {
  /** Why it was allowed; undefined: it was not, or nobody came to ask. */
  readonly allowed: string | undefined;
  /** What plugins changed; undefined: nothing. */
  readonly admitted: readonly AdmittedBy[] | undefined;
}

interface Node extends Verdict {
  /** By the fields that the next plugin changed. */
  nexts: WeakMap<readonly string[], Node> | undefined;
}

const REASONS_MAX = 1024;
/** What webhooks give as their reason may be of any length. */
const REASON_LENGTH_MAX = 1024;

/**
 * What was decided about requests, each verdict made once: nearly all requests of a sort are allowed and admitted alike, and each
 * is remembered with its verdict. Bounded: reasons that come no more are forgotten, and what was changed goes when nobody holds
 * the fields any more by which it is found.
 */
export class Verdicts {
  readonly #reasons = new RecentTable<Node>(REASONS_MAX);
  readonly #notAllowed: Node = { allowed: undefined, admitted: undefined, nexts: undefined };

  /** The same verdict for the same reason, plugins and lists of fields. */
  of({ allowed, admitted }: Verdict): Verdict {
    let node = allowed === undefined ? this.#notAllowed : this.#reason(allowed);
    if (admitted === undefined) return node;
    for (const one of admitted) {
      node.nexts ??= new WeakMap();
      let next = node.nexts.get(one.changed);
      if (next === undefined) {
        next = { allowed: node.allowed, admitted: [...(node.admitted ?? []), one], nexts: undefined };
        node.nexts.set(one.changed, next);
      }
      node = next;
    }
    return node;
  }

  #reason(reason: string): Node {
    const known = this.#reasons.get(reason);
    if (known !== undefined) return known;
    const allowed = reason.length > REASON_LENGTH_MAX ? `${reason.slice(0, REASON_LENGTH_MAX)}…` : reason;
    const node: Node = { allowed, admitted: undefined, nexts: undefined };
    if (reason.length <= REASON_LENGTH_MAX) this.#reasons.set(reason, node);
    return node;
  }
}
