import type { ClusterEvent, EventReach, Plugin, QueueingHint } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';

/** What is asked of one event: whom it may help of the pods that wait. */
export interface WakeQuestion {
  /** Which pods it may help of those that these plugins refused. */
  reach(refusedBy: ReadonlySet<string>): EventReach;
  /** Whether it may help a pod that these plugins refused. */
  mayHelp(demand: PodDemand, refusedBy: ReadonlySet<string>): boolean;
}

/** A pod whose plugin fails to say what it waits for is reached by every event. */
export const ANY_NAME = '';

/** Whom several reach together. */
export function reachOfAll(reaches: readonly EventReach[]): EventReach {
  const names: string[] = [];
  for (const reach of reaches) {
    if (reach === 'all') return reach;
    names.push(...reach);
  }
  return names;
}

/** The hints of those plugins that refused a pod; undefined: somebody else did (an extender), so that any event may help. */
function hintsOf(
  plugins: ReadonlyMap<string, Plugin>,
  refusedBy: ReadonlySet<string>,
): readonly QueueingHint[] | undefined {
  if (refusedBy.size === 0) return undefined;
  const found: QueueingHint[] = [];
  for (const name of refusedBy) {
    const hints = plugins.get(name)?.wakesOn;
    if (hints === undefined) return undefined;
    found.push(...hints);
  }
  return found;
}

/** The names under which a pod that these plugins refused waits for events. */
export function awaitedNames(
  plugins: ReadonlyMap<string, Plugin>,
  demand: PodDemand,
  refusedBy: ReadonlySet<string>,
): readonly string[] {
  const hints = hintsOf(plugins, refusedBy) ?? [];
  return hints.flatMap((hint) => namesIn(hint, demand));
}

// A plugin that fails to say, anybody's own perhaps, costs its pod a try in vain and no other pod its event.
function namesIn(hint: QueueingHint, demand: PodDemand): readonly string[] {
  try {
    return hint.waitsFor?.(demand) ?? [];
  } catch {
    return [ANY_NAME];
  }
}

/** One event, put to the plugins of a profile. Each hint looks at it once, however many pods wait. */
export class ProfileQuestion implements WakeQuestion {
  readonly #plugins: ReadonlyMap<string, Plugin>;
  readonly #event: ClusterEvent;
  readonly #reaches = new Map<QueueingHint, EventReach>();
  #asked: { readonly refusedBy: ReadonlySet<string>; readonly hints: readonly QueueingHint[] | undefined } | undefined;

  constructor(plugins: ReadonlyMap<string, Plugin>, event: ClusterEvent) {
    this.#plugins = plugins;
    this.#event = event;
  }

  reach(refusedBy: ReadonlySet<string>): EventReach {
    return reachOfAll(this.#hearing(refusedBy)?.map((hint) => this.#reachOf(hint)) ?? ['all']);
  }

  mayHelp(demand: PodDemand, refusedBy: ReadonlySet<string>): boolean {
    const hints = this.#hearing(refusedBy);
    return hints === undefined || hints.some((hint) => this.#helps(hint, demand));
  }

  #helps(hint: QueueingHint, demand: PodDemand): boolean {
    const reach = this.#reachOf(hint);
    if (reach !== 'all') {
      if (reach.length === 0) return false;
      const names = namesIn(hint, demand);
      if (!names.some((name) => name === ANY_NAME || reach.includes(name))) return false;
    }
    try {
      return hint.mayHelp?.(demand, this.#event) ?? true;
    } catch {
      return true;
    }
  }

  #reachOf(hint: QueueingHint): EventReach {
    let reach = this.#reaches.get(hint);
    if (reach !== undefined) return reach;
    try {
      reach = hint.reaches?.(this.#event) ?? 'all';
    } catch {
      reach = 'all';
    }
    this.#reaches.set(hint, reach);
    return reach;
  }

  /** The hints that hear of such events; pods that wait together ask with the same set. */
  #hearing(refusedBy: ReadonlySet<string>): readonly QueueingHint[] | undefined {
    if (this.#asked?.refusedBy !== refusedBy) {
      const { resource, action } = this.#event;
      const hints = hintsOf(this.#plugins, refusedBy);
      this.#asked = {
        refusedBy,
        hints: hints?.filter((hint) => hint.resource === resource && hint.actions.includes(action)),
      };
    }
    return this.#asked.hints;
  }
}
