import type { HealthCheck } from '../ports/health.ts';
import { CounterFamily } from './series.ts';

/** Upstream's three sorts of health checks: the paths without their slash. */
export type HealthPath = 'healthz' | 'livez' | 'readyz';

/** How health checks went, as `/metrics/slis` tells it (KEP 3466). */
export class HealthFigures {
  readonly #now = new CounterFamily({
    name: 'kubernetes_healthcheck',
    help: 'How a health check went last.',
    labels: ['type', 'name'],
    type: 'gauge',
  });
  readonly #all = new CounterFamily({
    name: 'kubernetes_healthchecks_total',
    help: 'How often a health check went how.',
    labels: ['type', 'name', 'status'],
  });

  ended(path: HealthPath, { name }: Pick<HealthCheck, 'name'>, isWell: boolean): void {
    this.#now.set([path, name], isWell ? 1 : 0);
    this.#all.add([path, name, isWell ? 'success' : 'error']);
  }

  render(): string {
    const out: string[] = [];
    this.#now.render(out);
    this.#all.render(out);
    return out.length === 0 ? '' : `${out.join('\n')}\n`;
  }
}
