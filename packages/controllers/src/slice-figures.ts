import { exponentialBounds } from '@binnacle/base';
import type { CountFigure, FigureMeasures, GaugeFigure, SpreadFigure } from '@binnacle/base';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { SlicePlan } from './slice-plan.ts';

const NONE: readonly string[] = [];

/** What a service (or Endpoints) has of endpoints and slices. */
interface Packing {
  readonly endpoints: number;
  readonly slices: number;
  /** As many as there would be if each were full. */
  readonly wanted: number;
}

/** What controllers of slices tell of them (pkg endpointslice/metrics, endpointslicemirroring/metrics). */
export class SliceFigures {
  readonly #added: SpreadFigure;
  readonly #removed: SpreadFigure;
  readonly #updated: SpreadFigure | undefined;
  readonly #changes: CountFigure;
  readonly #totals: readonly (readonly [keyof Packing, GaugeFigure])[];
  readonly #byKey = new Map<string, Packing>();
  readonly #sums = { endpoints: 0, slices: 0, wanted: 0 };

  /** `subsystem`: the first part of every name. */
  constructor(figures: FigureMeasures, { subsystem, tellsUpdated }: { subsystem: string; tellsUpdated: boolean }) {
    const spread = (name: string, help: string): SpreadFigure =>
      figures.spread({ name: `${subsystem}_${name}`, help, labels: NONE }, exponentialBounds(2, 2, 15));
    const gauge = (name: string, help: string): GaugeFigure =>
      figures.gauge({ name: `${subsystem}_${name}`, help, labels: NONE });
    this.#added = spread('endpoints_added_per_sync', 'Endpoints that came by a look.');
    this.#updated = tellsUpdated
      ? spread('endpoints_updated_per_sync', 'Endpoints that a look changed in their place.')
      : undefined;
    this.#removed = spread('endpoints_removed_per_sync', 'Endpoints that went by a look.');
    this.#totals = [
      ['endpoints', gauge('endpoints_desired', 'Endpoints that there should be.')],
      ['slices', gauge('num_endpoint_slices', 'Slices that there are.')],
      ['wanted', gauge('desired_endpoint_slices', 'Slices that there would be if each were full.')],
    ];
    const changes = 'Slices that were made, written or taken away.';
    this.#changes = figures.counter({ name: `${subsystem}_changes`, help: changes, labels: ['operation'] });
  }

  /** A plan for the slices of a key is to be carried out. */
  planned(key: string, plan: SlicePlan, existing: readonly EndpointSlice[]): void {
    const { added, updated, removed, endpoints, full } = plan.tally;
    this.#added.observe(NONE, added);
    this.#updated?.observe(NONE, updated);
    this.#removed.observe(NONE, removed);
    const slices = existing.length + plan.create.length - plan.remove.length;
    this.#note(key, { endpoints, slices, wanted: Math.max(1, full) });
  }

  changed(operation: 'create' | 'update' | 'delete'): void {
    this.#changes.add([operation]);
  }

  /** There are no slices of a key any more; there may never have been. */
  forget(key: string): void {
    this.#note(key, undefined);
  }

  #note(key: string, after: Packing | undefined): void {
    const before = this.#byKey.get(key);
    if (before === undefined && after === undefined) return;
    if (after === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, after);
    for (const [of, gauge] of this.#totals) {
      this.#sums[of] += (after?.[of] ?? 0) - (before?.[of] ?? 0);
      gauge.set(NONE, this.#sums[of]);
    }
  }
}
