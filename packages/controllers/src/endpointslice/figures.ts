import type { CountFigure, FigureMeasures, GaugeFigure, SpreadFigure } from '@binnacle/base';
import type { Service } from '@binnacle/api/core/v1';
import { SliceFigures } from '../slice-figures.ts';
import type { SlicePlan } from '../slice-plan.ts';
import { wantsZoneHints } from './topology.ts';

const SUBSYSTEM = 'endpoint_slice_controller';
const DISTRIBUTION = ['traffic_distribution'];
/** Prometheus' own: upstream names none. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the controller of slices tells of them and of services. */
export class EndpointSliceFigures {
  readonly slices: SliceFigures;
  readonly #changed: SpreadFigure;
  readonly #syncs: CountFigure;
  readonly #distributions: GaugeFigure;
  /** Which services have one, by key. */
  readonly #byService = new Map<string, string>();
  readonly #services = new Map<string, number>();

  constructor(figures: FigureMeasures) {
    this.slices = new SliceFigures(figures, { subsystem: SUBSYSTEM, tellsUpdated: false });
    const changed = {
      name: `${SUBSYSTEM}_endpointslices_changed_per_sync`,
      help: 'Slices that a look at a service changed.',
      labels: ['topology', 'traffic_distribution'],
    };
    this.#changed = figures.spread(changed, BOUNDS);
    const syncs = 'Looks at services: success, stale (the cache was behind) or error.';
    this.#syncs = figures.counter({ name: `${SUBSYSTEM}_syncs`, help: syncs, labels: ['result'] });
    const distributions = {
      name: `${SUBSYSTEM}_services_count_by_traffic_distribution`,
      help: 'Services with this trafficDistribution.',
      labels: DISTRIBUTION,
    };
    this.#distributions = figures.gauge(distributions);
  }

  synced(result: 'success' | 'stale' | 'error'): void {
    this.#syncs.add([result]);
  }

  /** A service's plan was carried out. */
  published(service: Service, plan: SlicePlan): void {
    const hinted = wantsZoneHints(service);
    const { trafficDistribution = '' } = service.spec;
    const values = [hinted ? 'Auto' : 'Disabled', hinted ? '' : trafficDistribution];
    this.#changed.observe(values, plan.create.length + plan.update.length + plan.remove.length);
  }

  /** What a service says of where its traffic should go; hints by zones win over it. */
  distributes(key: string, service: Service): void {
    this.#distribute(key, wantsZoneHints(service) ? undefined : service.spec.trafficDistribution);
  }

  forget(key: string): void {
    this.slices.forget(key);
    this.#distribute(key, undefined);
  }

  #distribute(key: string, after: string | undefined): void {
    const before = this.#byService.get(key);
    if (before === after) return;
    if (after === undefined) this.#byService.delete(key);
    else this.#byService.set(key, after);
    for (const [one, by] of [[before, -1] as const, [after, 1] as const]) {
      if (one === undefined) continue;
      const count = (this.#services.get(one) ?? 0) + by;
      this.#services.set(one, count);
      this.#distributions.set([one], count);
    }
  }
}
