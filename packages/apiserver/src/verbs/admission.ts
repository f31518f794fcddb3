import type { KubeObject } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { AdmissionAttributes, AdmissionOperation } from '../ports/admission.ts';
import type { AnyCall } from '../catalogue/call.ts';

/** One change on its way through the admission plugins. */
export interface AdmittedChange {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly name: string;
}

/** Runs the plugins that change objects, in order. */
export async function admit(core: Core, call: AnyCall, change: AdmittedChange): Promise<void> {
  const asked = attributes(call, change);
  for (const plugin of core.policy.admission) {
    if (!plugin.handles(asked.operation, asked.info, asked.subresource)) continue;
    const waiting = plugin.admit?.(asked);
    if (waiting !== undefined) await waiting;
  }
}

/** Runs the plugins that only look, after the object is valid. */
export async function admitFinally(core: Core, call: AnyCall, change: AdmittedChange): Promise<void> {
  const asked = attributes(call, change);
  for (const plugin of core.policy.admission) {
    if (!plugin.handles(asked.operation, asked.info, asked.subresource)) continue;
    const waiting = plugin.validate?.(asked);
    if (waiting !== undefined) await waiting;
  }
}

function attributes(call: AnyCall, change: AdmittedChange): AdmissionAttributes {
  return {
    ...change,
    info: call.served.info,
    subresource: call.info.subresource,
    namespace: call.info.namespace,
    user: call.user,
    dryRun: call.dryRun,
    warn: (message) => call.warn(message),
  };
}
