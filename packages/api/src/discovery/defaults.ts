import type { Draft } from '../draft.ts';
import type { EndpointSlice } from '../generated/discovery-v1.ts';

export function defaultEndpointSlice(slice: Draft<EndpointSlice>): void {
  for (const port of slice.ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
