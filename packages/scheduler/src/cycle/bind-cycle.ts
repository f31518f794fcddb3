import { PODS } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import type { CallContext, Logger } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { HeldBackError, NoBinderError } from '../errors.ts';
import type { Plugin } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Extender } from '../plan/extender.ts';
import type { PermitRoom } from './permit-room.ts';
import type { PluginSet } from '../plan/plugin-set.ts';

export interface BindInput {
  readonly plugins: PluginSet;
  readonly demand: PodDemand;
  readonly node: string;
  /** Who binds before any plugin is asked, if interested in the pod. */
  readonly extenders: readonly Extender[];
  /** Where pods are that a plugin holds back. */
  readonly room: PermitRoom;
  /** Waits for what others have to do first. */
  readonly aside: <T>(waiting: Promise<T>) => Promise<T>;
  readonly context: CallContext;
  readonly log: Logger;
}

/**
 * Reserve → Permit → PreBind → Bind → PostBind. Whatever fails before the pod is bound undoes the reservations and
 * is thrown; what fails behind that is logged, as is what fails while it is undone.
 */
export async function runBindCycle(input: BindInput): Promise<void> {
  const { plugins, demand, node, room, aside, context } = input;
  const reserved: Plugin[] = [];
  try {
    for (const plugin of plugins.reserve) {
      // Undone also where it failed half-way.
      reserved.push(plugin);
      const refusal = plugin.reserve?.(demand, node);
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    for (const plugin of plugins.permit) {
      const permission = plugin.permit?.(demand, node, context);
      const refusal = permission instanceof Promise ? await aside(room.hold(demand.uid, permission)) : permission;
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    for (const plugin of plugins.preBind) {
      const prepared = plugin.preBind?.(demand, node, context);
      if (prepared instanceof Promise) await aside(prepared);
    }
    await bindOnce(input);
  } catch (error) {
    for (const plugin of reserved.reverse()) tell(input, plugin, 'unreserve');
    throw error;
  }
  for (const plugin of plugins.postBind) tell(input, plugin, 'postBind');
}

/** A plugin that fails to hear of it, anybody's own perhaps, keeps it from nobody else, and hides nothing. */
function tell({ demand, node, log }: BindInput, plugin: Plugin, point: 'unreserve' | 'postBind'): void {
  try {
    plugin[point]?.(demand, node);
  } catch (error) {
    log.error(error, 'A plugin failed', { plugin: plugin.name, point, pod: demand.key, node });
  }
}

async function bindOnce({ plugins, demand, node, extenders, context, log }: BindInput): Promise<void> {
  for (const extender of extenders) {
    if (extender.bind === undefined || !extender.isInterested(demand)) continue;
    try {
      await extender.bind(demand, node, context);
      return;
    } catch (error) {
      if (!extender.ignorable) throw error;
      log.info(0, 'Skipping extender in bind as it returned error and has ignorable flag set', {
        extender: extender.name,
        err: messageOf(error),
      });
    }
  }
  for (const plugin of plugins.bind) {
    const bound = plugin.bind?.(demand, node, context);
    if ((bound instanceof Promise ? await bound : bound) === true) return;
  }
  throw new NoBinderError(plugins.schedulerName);
}

/** Whether the server says that the pod itself is not there; what it names or needs is another matter. */
export function isPodGone(error: unknown): boolean {
  return status.isNotFound(error) && error.status.details?.kind === PODS.resource;
}
