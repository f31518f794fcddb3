import { PODS } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { HeldBackError, NoBinderError } from '../errors.ts';
import type { PlannedBinding, Plugin, Refusal } from '../plan/framework.ts';
import type { Extender } from '../plan/extender.ts';
import type { PermitRoom } from './permit-room.ts';
import type { PluginSet } from '../plan/plugin-set.ts';

export interface BindInput extends PlannedBinding {
  readonly plugins: PluginSet;
  /** Who binds before any plugin is asked, if interested in the pod. */
  readonly extenders: readonly Extender[];
  /** Where pods are that a plugin holds back. */
  readonly room: PermitRoom;
  /** Waits for what others have to do first. */
  readonly aside: <T>(waiting: Promise<T>) => Promise<T>;
  readonly log: Logger;
}

type Waiting = Promise<Refusal | undefined>;

/**
 * The way of one pod to its node: Reserve → Permit → PreBind (`prepare`) → Bind → PostBind (`bound`). Whatever fails before
 * the pod is bound is for `undo`.
 */
export class BindCycle {
  readonly #input: BindInput;
  readonly #reserved: Plugin[] = [];

  constructor(input: BindInput) {
    this.#input = input;
  }

  /** A promise only where somebody has to be waited for. Throws, or rejects with, HeldBackError and what plugins throw. */
  prepare(): Promise<void> | undefined {
    const steps = this.#steps();
    const { done, value } = steps.next();
    return done === true ? undefined : this.#goOn(steps, value);
  }

  /** The plugin that may bind it along with others; undefined: it is bound by itself. */
  get binder(): Plugin | undefined {
    const { plugins, extenders, demand } = this.#input;
    const [first] = plugins.bind;
    if (first?.bindAll === undefined) return undefined;
    return extenders.some((one) => one.bind !== undefined && one.isInterested(demand)) ? undefined : first;
  }

  /** Throws NoBinderError, and what an extender or plugin throws. */
  async bind(): Promise<void> {
    const { plugins, demand, node, extenders, context, log } = this.#input;
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

  /** What fails now is logged. */
  bound(): void {
    for (const plugin of this.#input.plugins.postBind) this.#tell(plugin, 'postBind');
  }

  /** Gives back what was reserved, the last first; what fails meanwhile is logged. */
  undo(): void {
    for (const plugin of this.#reserved.reverse()) this.#tell(plugin, 'unreserve');
  }

  /** Gives out what has to be waited for. */
  *#steps(): Generator<Waiting, void, Refusal | undefined> {
    const { plugins, demand, node, room, context } = this.#input;
    for (const plugin of plugins.reserve) {
      // Undone also where it failed half-way.
      this.#reserved.push(plugin);
      const refusal = plugin.reserve?.(demand, node);
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    for (const plugin of plugins.permit) {
      const permission = plugin.permit?.(demand, node, context);
      const refusal = permission instanceof Promise ? yield room.hold(demand.uid, permission) : permission;
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    for (const plugin of plugins.preBind) {
      const prepared = plugin.preBind?.(demand, node, context);
      if (prepared instanceof Promise) yield prepared.then(() => undefined);
    }
  }

  async #goOn(steps: Generator<Waiting, void, Refusal | undefined>, first: Waiting | void): Promise<void> {
    for (let waiting = first; waiting !== undefined;) waiting = steps.next(await this.#input.aside(waiting)).value;
  }

  /** A plugin that fails to hear of it, anybody's own perhaps, keeps it from nobody else, and hides nothing. */
  #tell(plugin: Plugin, point: 'unreserve' | 'postBind'): void {
    const { demand, node, log } = this.#input;
    try {
      plugin[point]?.(demand, node);
    } catch (error) {
      log.error(error, 'A plugin failed', { plugin: plugin.name, point, pod: demand.key, node });
    }
  }
}

/** Who held the pod back, and why; undefined: something went wrong. */
export function refusalIn(error: unknown): Refusal | undefined {
  return error instanceof HeldBackError ? error.refusal : undefined;
}

/** Whether the server says that the pod itself is not there; what it names or needs is another matter. */
export function isPodGone(error: unknown): boolean {
  return status.isNotFound(error) && error.status.details?.kind === PODS.resource;
}
