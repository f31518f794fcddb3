import type { Logger, Scope } from '@binnacle/base';
import { observedCause } from '@binnacle/client';
import { NoBinderError } from '../errors.ts';
import type { Extender } from '../plan/extender.ts';
import type { BindingSink, PlannedBinding, Plugin, QueuedPod } from '../plan/framework.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import { BindCycle } from './bind-cycle.ts';
import { BindingPlaces } from './binding-places.ts';
import type { PermitRoom } from './permit-room.ts';

/** How many bindings may be on their way at once. */
const IN_FLIGHT_MAX = 512;

/** A pod that has a node by decision. */
export interface Placed {
  readonly queued: QueuedPod;
  readonly node: string;
  readonly plugins: PluginSet;
}

/** What a binder needs, and whom it tells, once for each pod. */
export interface BinderWorld {
  readonly scope: Scope;
  readonly extenders: readonly Extender[];
  readonly room: PermitRoom;
  readonly log: Logger;
  /** `at`: by the meter's clock. */
  readonly onBound: (placed: Placed, at: number) => void;
  readonly onFailed: (placed: Placed, error: unknown) => void;
  /** Somebody has to be waited for before it can be bound. */
  readonly onWaiting: (placed: Placed) => void;
  /** A place is free. */
  readonly onFree: () => void;
}

/** One pod on its way. */
interface Binding extends PlannedBinding {
  readonly placed: Placed;
  readonly cycle: BindCycle;
}

/**
 * Brings pods to the nodes that were decided: those of one turn for which nobody has to be waited in one call, each of the
 * others by itself.
 */
export class Binder {
  readonly #world: BinderWorld;
  readonly #places: BindingPlaces;
  /** What goes together at the end of this turn, by the plugin that binds it. */
  #together = new Map<Plugin, Binding[]>();

  constructor(world: BinderWorld) {
    this.#world = world;
    this.#places = new BindingPlaces(IN_FLIGHT_MAX, () => world.onFree());
  }

  /** Whether the next pod has to wait for others to be bound. */
  get isFull(): boolean {
    return this.#places.areTaken;
  }

  /** How many bindings are on their way, those that wait for others left out. */
  get underway(): number {
    return this.#places.taken;
  }

  /** Takes a place until the pod is bound, or failed to be. */
  bind(placed: Placed): void {
    const { scope, extenders, room, log } = this.#world;
    const places = this.#places;
    const { queued, node, plugins } = placed;
    const { demand } = queued;
    places.take();
    const cause = observedCause(plugins.schedulerName, demand.pod, `bind ${demand.key} to ${node}`);
    const context = { signal: scope.signal, cause };
    const aside = <T>(waiting: Promise<T>): Promise<T> => places.aside(waiting);
    const cycle = new BindCycle({ plugins, demand, node, context, extenders, room, log, aside });
    const binding = { demand, node, context, placed, cycle };
    let waiting: Promise<void> | undefined;
    try {
      waiting = cycle.prepare();
    } catch (error) {
      this.#end(binding, { error });
      return;
    }
    const { binder } = cycle;
    if (waiting !== undefined) this.#world.onWaiting(placed);
    if (waiting === undefined && binder !== undefined) this.#plan(binder, binding);
    else scope.run(`bind ${demand.key}`, () => this.#bindAlone(binding, waiting));
  }

  async #bindAlone(binding: Binding, prepared: Promise<void> | undefined): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    try {
      await prepared;
      await binding.cycle.bind();
    } catch (error) {
      failure = { error };
    }
    this.#end(binding, failure);
  }

  #plan(binder: Plugin, binding: Binding): void {
    const planned = this.#together.get(binder);
    if (planned !== undefined) {
      planned.push(binding);
      return;
    }
    this.#together.set(binder, [binding]);
    if (this.#together.size > 1) return;
    this.#world.scope.run('bind', async () => {
      // Whoever else finds a node in this turn goes along.
      await Promise.resolve();
      const together = this.#together;
      this.#together = new Map();
      await Promise.all([...together].map(([plugin, bindings]) => this.#bindTogether(plugin, bindings)));
    });
  }

  async #bindTogether(plugin: Plugin, bindings: readonly Binding[]): Promise<void> {
    const left = new Set(bindings);
    const told: BindingSink = (at, failure) => {
      const binding = bindings[at];
      if (binding !== undefined && left.delete(binding)) this.#end(binding, failure);
    };
    let broken: { readonly error: unknown } | undefined;
    try {
      await plugin.bindAll?.(bindings, told);
    } catch (error) {
      broken = { error };
    }
    // Of these the plugin, anybody's own perhaps, said nothing.
    for (const binding of left) {
      this.#end(binding, broken ?? { error: new NoBinderError(binding.placed.plugins.schedulerName) });
    }
  }

  #end({ placed, cycle }: Binding, failure: { readonly error: unknown } | undefined): void {
    const { onBound, onFailed } = this.#world;
    if (failure === undefined) {
      onBound(placed, cycle.bound());
    } else {
      cycle.undo(failure.error);
      onFailed(placed, failure.error);
    }
    this.#places.free();
  }
}
