import { status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';

/** Stands between a process and the API: while `on`, one resource can neither be listed nor watched. */
export interface Deafness {
  on: boolean;
  readonly between: (wire: Wire) => Wire;
}

/** As a kind is whose conversion webhook is down. */
export function deafTo(resource: string): Deafness {
  const down = (): Error => status.internalError('conversion webhook failed: connection refused');
  const deafness: Deafness = {
    on: true,
    between: (wire) => ({
      ...wire,
      call: (call) => {
        const isBroken = deafness.on && call.resource.resource === resource && call.verb === 'list';
        return isBroken ? Promise.reject(down()) : wire.call(call);
      },
      watch: (call, sink) => {
        if (!deafness.on || call.resource.resource !== resource) return wire.watch(call, sink);
        queueMicrotask(() => sink.end(down()));
        return { stop: () => undefined };
      },
    }),
  };
  return deafness;
}
