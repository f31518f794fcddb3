import type { ServiceRules } from '../rules.ts';
import { renderShared, TABLES } from './render-node.ts';
import type { SharedContext, Table } from './render-node.ts';
import { renderService } from './render-service.ts';
import type { Chains, RenderedService } from './render-service.ts';

/** What each table had, and has now. */
export type ContentChange = Readonly<Record<Table, { readonly before: Chains; readonly after: Chains }>>;

/** What our chains of one family have in them. Pure: a change that the machine does not take is followed by making all anew. */
export class IptablesContent {
  readonly #context: SharedContext;
  readonly #services = new Map<string, RenderedService>();
  #shared: Readonly<Record<Table, Chains>> = { nat: new Map(), filter: new Map(), security: new Map() };

  constructor(context: SharedContext) {
    this.#context = context;
  }

  /** Takes changes in; answers the chains that they concern, as they were and as they are. */
  change(changes: Iterable<readonly [id: string, rules: ServiceRules | undefined]>): ContentChange {
    const none = () => ({ before: new Map<string, readonly string[]>(), after: new Map<string, readonly string[]>() });
    const made = { nat: none(), filter: none(), security: none() };
    for (const [id, wanted] of changes) {
      const had = this.#services.get(id);
      const has = wanted && renderService(wanted, this.#context);
      for (const table of TABLES) {
        // A Service has no chain of its own for what nobody knows.
        if (table === 'security') continue;
        for (const [chain, rules] of had?.[table] ?? []) made[table].before.set(chain, rules);
        for (const [chain, rules] of has?.[table] ?? []) made[table].after.set(chain, rules);
      }
      if (has === undefined) this.#services.delete(id);
      else this.#services.set(id, has);
    }
    const shared = renderShared(this.#context, this.#services.values());
    for (const table of TABLES) {
      for (const [chain, rules] of this.#shared[table]) made[table].before.set(chain, rules);
      for (const [chain, rules] of shared[table]) made[table].after.set(chain, rules);
    }
    this.#shared = shared;
    return made;
  }
}
