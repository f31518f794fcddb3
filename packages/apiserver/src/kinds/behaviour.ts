import type { KindRules } from '@binnacle/api';
import type { AnyCall, Handlers, SubresourceDefinition, VersionDefinition } from '../catalogue/definition.ts';
import type { Traits } from '../catalogue/traits.ts';
import type { TablePrinter } from '../ports/columns.ts';
import type { Responder } from '../ports/responder.ts';
import type { Strategy } from '../ports/strategy.ts';

/** What one built-in resource does that not every resource does: everything that its definition says beyond the resource table. */
export interface KindBehaviour extends Partial<Traits> {
  readonly strategy?: Strategy;
  /** What has to hold beyond the rules of the kind, and needs what only the server has. */
  readonly checks?: Pick<KindRules, 'validate' | 'validateUpdate' | 'warnings'>;
  readonly columns?: TablePrinter;
  readonly eager?: true;
  readonly indexedField?: string;
  /** By name; `status` and `scale` are the same for all and need no entry. */
  readonly subresources?: { readonly [name: string]: SubresourceDefinition | Responder };
  /** By `group/version`: what differs from the stored version. */
  readonly versions?: {
    readonly [groupVersion: string]: Pick<VersionDefinition, 'conversion' | 'fields' | 'columns' | 'warning'>;
  };
  /** Of a resource that is not stored. */
  readonly answer?: Handlers<AnyCall> | Responder;
  /** Callers of a resource that is not stored are told with every request: it is deprecated. */
  readonly warning?: string;
}

/** By `pods`, `deployments.apps`. */
export interface KindBehaviours {
  readonly [name: string]: KindBehaviour;
}

/** Several tables as one; of one resource, what the later one says goes first, hooks of the strategy and subresources one by one. */
export function joinBehaviours(...tables: readonly KindBehaviours[]): KindBehaviours {
  const joined = new Map<string, KindBehaviour>();
  for (const table of tables) {
    for (const [name, behaviour] of Object.entries(table)) {
      const known = joined.get(name) ?? {};
      joined.set(name, {
        ...known,
        ...behaviour,
        strategy: { ...known.strategy, ...behaviour.strategy },
        subresources: { ...known.subresources, ...behaviour.subresources },
      });
    }
  }
  return Object.fromEntries(joined);
}
