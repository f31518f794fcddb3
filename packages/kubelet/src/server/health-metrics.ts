import type { HealthChecks } from '../registration/health.ts';
import { exposition } from './exposition.ts';

/** `/metrics/slis`: how each health check went last, and how often how (KEP 3466). */
export function healthMetrics({ figures }: Pick<HealthChecks, 'figures'>): string {
  const all = [...figures];
  return exposition([
    {
      name: 'kubernetes_healthcheck',
      type: 'gauge',
      help: 'How a health check went last.',
      samples: all.map(([name, { isWell }]) => ({ labels: { name, type: 'healthz' }, value: isWell ? 1 : 0 })),
    },
    {
      name: 'kubernetes_healthchecks_total',
      type: 'counter',
      help: 'How often a health check went how.',
      samples: all.flatMap(([name, counts]) =>
        (['success', 'error'] as const)
          .filter((status) => counts[status] > 0)
          .map((status) => ({ labels: { name, status, type: 'healthz' }, value: counts[status] })),
      ),
    },
  ]);
}
