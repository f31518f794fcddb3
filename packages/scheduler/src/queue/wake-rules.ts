import type { ClusterEvent, Plugin, QueueingHint } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';

function hears(hint: QueueingHint, event: ClusterEvent): boolean {
  return hint.resource === event.resource && hint.actions.includes(event.action);
}

/** The plugins among those that refused a pod; undefined: somebody else did (an extender), so that any event may help. */
function refusers(plugins: ReadonlyMap<string, Plugin>, refusedBy: ReadonlySet<string>): readonly Plugin[] | undefined {
  if (refusedBy.size === 0) return undefined;
  const found: Plugin[] = [];
  for (const name of refusedBy) {
    const plugin = plugins.get(name);
    if (plugin?.wakesOn === undefined) return undefined;
    found.push(plugin);
  }
  return found;
}

/** Whether any of the plugins that refused a pod wants to hear of events like this one. */
export function listensTo(
  plugins: ReadonlyMap<string, Plugin>,
  event: ClusterEvent,
  refusedBy: ReadonlySet<string>,
): boolean {
  const asked = refusers(plugins, refusedBy);
  return asked === undefined || asked.some((p) => p.wakesOn?.some((hint) => hears(hint, event)));
}

/** The plugins of a pod's profile, and who of them refused it. */
export interface Refused {
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly demand: PodDemand;
  readonly refusedBy: ReadonlySet<string>;
}

/** Whether an event may help a pod: one of the plugins that refused it says so. */
export function eventMayHelp({ plugins, demand, refusedBy }: Refused, event: ClusterEvent): boolean {
  const asked = refusers(plugins, refusedBy);
  if (asked === undefined) return true;
  return asked.some((p) => p.wakesOn?.some((hint) => hears(hint, event) && asksFor(hint, demand, event)));
}

/** A plugin that fails to say, anybody's own perhaps, costs its pod a try in vain and no other pod its event. */
function asksFor(hint: QueueingHint, demand: PodDemand, event: ClusterEvent): boolean {
  try {
    return hint.mayHelp?.(demand, event) ?? true;
  } catch {
    return true;
  }
}
