import type { Scope } from '@binnacle/base';
import { ADMIN } from '@binnacle/cluster/identities';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import type { World } from '@binnacle/cluster/world';
import { UsageError } from '../errors.ts';

/** The flags about the trace. */
export interface TraceChoice {
  readonly trace: 'on' | 'off';
  /** A collector that speaks OTLP over HTTP. */
  readonly traceOtlpEndpoint?: string;
  /** People with the right may hold components. */
  readonly enablePauses?: boolean;
}

/** What a control plane is told. Throws UsageError for what cannot be done together. */
export function traceChoice(flags: TraceChoice): { readonly trace: boolean; readonly pauses: boolean } {
  const { trace, traceOtlpEndpoint, enablePauses = false } = flags;
  const choice = { trace: trace === 'on', pauses: enablePauses };
  if (traceOtlpEndpoint === undefined) return choice;
  if (trace === 'off') throw new UsageError('--trace-otlp-endpoint exports the trace, which --trace=off does without');
  if (!/^https?:\/\/[^/\s]+/.test(traceOtlpEndpoint)) {
    throw new UsageError(`--trace-otlp-endpoint: expected http://HOST:PORT, not ${JSON.stringify(traceOtlpEndpoint)}`);
  }
  return choice;
}

/** Exports the trace where that was asked for; what exports it is loaded then. */
export async function exportTraceIfWanted(
  { traceOtlpEndpoint: endpoint }: TraceChoice,
  of: { readonly plane: ControlPlane; readonly world: World; readonly scope: Scope },
): Promise<void> {
  if (endpoint === undefined) return;
  const { exportTrace } = await import('@binnacle/cluster/node/trace-export');
  const { plane, world, scope } = of;
  exportTrace({ wire: plane.server.clientAs(ADMIN), endpoint, world, scope: scope.child('trace export') });
}
