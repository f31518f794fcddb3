import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../ports/admission.ts';
import type { AnyCall } from '../catalogue/definition.ts';

/** One change on its way through the admission plugins. */
export interface AdmittedChange {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly name: string;
}

/** The admission plugins, in order: first those that change, then those that only look. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Runs the plugins that change objects, in order. */
  async admit(call: AnyCall, change: AdmittedChange): Promise<void> {
    const asked = attributes(call, change);
    for (const plugin of this.#plugins) {
      if (!plugin.handles(asked.operation, asked.info, asked.subresource)) continue;
      const waiting = plugin.admit?.(asked);
      if (waiting !== undefined) await waiting;
    }
  }

  /** Runs the plugins that only look, after the object is valid. */
  async validate(call: AnyCall, change: AdmittedChange): Promise<void> {
    const asked = attributes(call, change);
    for (const plugin of this.#plugins) {
      if (!plugin.handles(asked.operation, asked.info, asked.subresource)) continue;
      const waiting = plugin.validate?.(asked);
      if (waiting !== undefined) await waiting;
    }
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
