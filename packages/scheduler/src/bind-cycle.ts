import type { CallContext } from '@binnacle/base';
import { CatalogueError } from '@binnacle/base';
import type { Plugin, Profile, Refusal } from './framework.ts';
import type { PodDemand } from './plan/demand.ts';

/** A plugin held the pod back after a node was chosen. */
export class HeldBackError extends CatalogueError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('held-back', refusal.reasons.join(', '), { facts: { plugin: refusal.plugin } });
    this.refusal = refusal;
  }
}

/** No plugin of the profile binds pods. */
export class NoBinderError extends CatalogueError {
  constructor(schedulerName: string) {
    super('no-binder', `no plugin of profile ${schedulerName} bound the pod`, { facts: { schedulerName } });
  }
}

export interface BindInput {
  readonly profile: Profile;
  readonly demand: PodDemand;
  readonly node: string;
  /** Binds where no plugin does: POST pods/binding. */
  readonly bind: (demand: PodDemand, node: string, context: CallContext) => Promise<void>;
  readonly context: CallContext;
}

/** Reserve → Permit → PreBind → Bind → PostBind. Whatever fails undoes the reservations and is thrown. */
export async function runBindCycle(input: BindInput): Promise<void> {
  const { profile, demand, node, context } = input;
  const reserved: Plugin[] = [];
  try {
    for (const plugin of profile.plugins) {
      if (plugin.reserve === undefined) continue;
      const refusal = plugin.reserve(demand, node);
      if (refusal !== undefined) throw new HeldBackError(refusal);
      reserved.push(plugin);
    }
    for (const plugin of profile.plugins) {
      const refusal = await plugin.permit?.(demand, node, context);
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    for (const plugin of profile.plugins) await plugin.preBind?.(demand, node, context);
    await bindOnce(input);
  } catch (error) {
    for (const plugin of reserved.reverse()) plugin.unreserve?.(demand, node);
    throw error;
  }
  for (const plugin of profile.plugins) plugin.postBind?.(demand, node);
}

async function bindOnce({ profile, demand, node, bind, context }: BindInput): Promise<void> {
  for (const plugin of profile.plugins) {
    if (plugin.bind !== undefined && (await plugin.bind(demand, node, context))) return;
  }
  await bind(demand, node, context);
}
