import type { JsonEndpoint } from './json-endpoint.ts';

/** Which admission plugins are on beside upstream's default, and what each is told. */
export interface AdmissionChoice {
  /** Names of plugins. */
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** Documents by the plugin's name, parsed: what `AdmissionConfiguration` has for each. */
  readonly configuration?: ReadonlyMap<string, unknown>;
  /** By the plugin's name, whom the kubeconfig names that its document names. */
  readonly endpoints?: ReadonlyMap<string, JsonEndpoint>;
}
