import type { Draft } from '../../draft.ts';
import type { Endpoints } from '../../generated/core-v1.ts';

export function defaultEndpoints(endpoints: Draft<Endpoints>): void {
  for (const subset of endpoints.subsets ?? []) {
    for (const port of subset.ports ?? []) if (!port.protocol) port.protocol = 'TCP';
  }
}
