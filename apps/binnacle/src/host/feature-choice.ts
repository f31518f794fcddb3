import {
  chooseFeatures,
  readComponentGates,
  readKubeletGates,
  readRuntimeConfig,
  requestedResources,
} from '@binnacle/api';
import type { Features, GateWishes } from '@binnacle/api';
import type { ControlPlaneOptions } from '@binnacle/cluster/node/control-plane';
import { UsageError } from '../errors.ts';

/** The flags of features and of what is served, by upstream's names; each may be repeated. */
export interface FeatureFlags {
  readonly featureGates?: readonly string[];
}

export interface ServingFlags extends FeatureFlags {
  readonly runtimeConfig?: readonly string[];
}

/** What the flags of the API server, the controller manager and `up` say of gates. Throws UsageError. */
export function gatesOf({ featureGates = [] }: FeatureFlags): GateWishes {
  return understood(readComponentGates(featureGates));
}

/** The same of the kubelet's flags, which have another grammar. Throws UsageError. */
export function kubeletGatesOf({ featureGates = [] }: FeatureFlags): GateWishes {
  return understood(readKubeletGates(featureGates));
}

/** Which features the flags switch on. Throws UsageError. */
export function featuresOf(flags: FeatureFlags): Features {
  return chosen(gatesOf(flags));
}

/** Throws UsageError for gates that cannot be. */
export function chosen(wishes: GateWishes): Features {
  const made = chooseFeatures(wishes);
  if ('problem' in made) throw new UsageError(made.problem);
  return made.features;
}

/** What an API server is told of features, and what it serves beside what is always served. Throws UsageError. */
export function servingChoice(
  flags: ServingFlags,
  warn: (text: string) => void,
): Required<Pick<ControlPlaneOptions, 'features' | 'onRequest'>> {
  const features = featuresOf(flags);
  const requested = requestedResources(readRuntimeConfig(flags.runtimeConfig ?? []), features);
  if ('problem' in requested) throw new UsageError(`--runtime-config: ${requested.problem}`);
  for (const { resource, gate } of requested.withoutGate) {
    warn(`--runtime-config asks for ${resource}, which the feature gate ${gate} holds back: it is not served`);
  }
  return { features, onRequest: requested.resources };
}

function understood(read: ReturnType<typeof readComponentGates>): GateWishes {
  if ('problem' in read) throw new UsageError(`--feature-gates: ${read.problem}`);
  return read.read;
}
