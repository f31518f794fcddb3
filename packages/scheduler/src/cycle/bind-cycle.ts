import { PODS } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { HeldBackError, NoBinderError } from '../errors.ts';
import type { PlannedBinding, Plugin, Refusal } from '../plan/framework.ts';
import type { Extender } from '../plan/extender.ts';
import type { PermitRoom } from './permit-room.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import { codeOf } from '../plan/profile-meter.ts';
import type { Code, Point } from '../plan/profile-meter.ts';

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
  /** Where the pod is on its way, for figures; undefined: that has been told. */
  #point: Point | undefined;
  #at = 0;

  constructor(input: BindInput) {
    this.#input = input;
  }

  /** A promise only where somebody has to be waited for. Throws, or rejects with, HeldBackError and what plugins throw. */
  prepare(): Promise<void> | undefined {
    this.#at = this.#input.plugins.meter?.now() ?? 0;
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

  /** What fails now is logged. When it was bound, by the meter's clock; 0 where there is none. */
  bound(): number {
    this.#lap('Success');
    const at = this.#at;
    this.#point = 'PostBind';
    const { postBind } = this.#input.plugins;
    for (const plugin of postBind) this.#tell(plugin, 'postBind');
    this.#lap('Success', postBind);
    return at;
  }

  /** Gives back what was reserved, the last first; what fails meanwhile is logged. `error`: what kept the pod from its node. */
  undo(error: unknown): void {
    const refusal = refusalIn(error);
    this.#lap(refusal === undefined ? 'Error' : codeOf(refusal));
    this.#point = 'Unreserve';
    for (const plugin of this.#reserved.reverse()) this.#tell(plugin, 'unreserve');
    this.#lap('Success');
  }

  /** Gives out what has to be waited for. */
  *#steps(): Generator<Waiting, void, Refusal | undefined> {
    const { plugins, demand, node, room, context } = this.#input;
    this.#point = 'Reserve';
    for (const plugin of plugins.reserve) {
      // Undone also where it failed half-way.
      this.#reserved.push(plugin);
      const refusal = plugin.reserve?.(demand, node);
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    this.#lap('Success', plugins.reserve);
    this.#point = 'Permit';
    for (const plugin of plugins.permit) {
      const permission = plugin.permit?.(demand, node, context);
      const isHeld = permission instanceof Promise;
      if (isHeld) this.#lap('Wait');
      const refusal = isHeld ? yield room.hold(demand.uid, permission) : permission;
      if (isHeld) this.#permitted(refusal);
      if (refusal !== undefined) throw new HeldBackError(refusal);
    }
    this.#lap('Success', plugins.permit);
    this.#point = 'PreBind';
    for (const plugin of plugins.preBind) {
      const prepared = plugin.preBind?.(demand, node, context);
      if (prepared instanceof Promise) yield prepared.then(() => undefined);
    }
    this.#lap('Success', plugins.preBind);
    this.#point = 'Bind';
  }

  /** The pod is past the point where it was; without plugins that took no time. */
  #lap(code: Code, plugins?: readonly Plugin[]): void {
    const { meter } = this.#input.plugins;
    if (meter === undefined || this.#point === undefined) return;
    const now = plugins?.length === 0 ? this.#at : meter.now();
    meter.point(this.#point, code, now - this.#at);
    this.#at = now;
    this.#point = undefined;
  }

  /** How long it was held back is told apart from the point. */
  #permitted(refusal: Refusal | undefined): void {
    const { meter } = this.#input.plugins;
    if (meter === undefined) return;
    const now = meter.now();
    meter.permitWaited(codeOf(refusal), now - this.#at);
    this.#at = now;
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
