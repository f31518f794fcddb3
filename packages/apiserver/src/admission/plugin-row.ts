import type { AdmissionMeasures } from '../ports/measures.ts';
import type { Wire } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { GuaranteedUpdate } from '../ports/guaranteed-update.ts';
import type { JsonEndpoint } from '../ports/json-endpoint.ts';
import type { PolicyOptions } from '../ports/policy.ts';
import type { FindKind } from '../ports/world.ts';
import type { ServiceAccountWorld } from './service-account.ts';

/** What plugins are made of. */
export interface PluginWorld extends ServiceAccountWorld, Pick<PolicyOptions, 'checkRequestSignature' | 'http'> {
  readonly authorizer: Authorizer;
  readonly measures: AdmissionMeasures;
  readonly update: GuaranteedUpdate;
  /** The server's own calls; only once it is together. */
  readonly loopback: Pick<Wire, 'call'>;
  readonly findKind: FindKind;
}

/** A plugin that can be chosen. */
export interface PluginRow {
  readonly name: string;
  readonly on: boolean;
  /**
   * `document` is what the configuration file has for it, `endpoint` whom the kubeconfig names that stands there. Throws
   * AdmissionConfigurationError.
   */
  make(world: PluginWorld, document: unknown, endpoint?: JsonEndpoint): AdmissionPlugin;
  readonly configurable?: true;
}

/** A plugin that needs no telling. */
export function row(name: string, make: (world: PluginWorld) => AdmissionPlugin, { on = true } = {}): PluginRow {
  return { name, on, make };
}

/** A plugin that has a document in the configuration file. */
export function configurable(name: string, make: PluginRow['make'], { on = true } = {}): PluginRow {
  return { name, on, make, configurable: true };
}

/** Whoever wants it names it. */
export const OFF = { on: false };
