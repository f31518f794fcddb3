import {
  chooseFeatures,
  readComponentGates,
  readKubeletGates,
  readRuntimeConfig,
  requestedResources,
} from '@binnacle/api';
import type { Features, GateWishes } from '@binnacle/api';
import type { ControlPlaneOptions } from '@binnacle/cluster/node/control-plane';
import { Option } from 'commander';
import { UsageError } from '../errors.ts';

/** The flags of features and of what is served, by upstream's names; each may be repeated. */
export interface FeatureFlags {
  readonly featureGates?: readonly string[];
}

export interface ServingFlags extends FeatureFlags {
  readonly runtimeConfig?: readonly string[];
}

const gather = (text: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), text];

/** `--feature-gates` */
export function featureGatesOption(): Option {
  return new Option(
    '--feature-gates <gates>',
    'GATE=true or GATE=false, comma-separated; may be repeated. Of those that are off by default here: ClusterTrustBundle, ClusterTrustBundleProjection',
  ).argParser(gather);
}

/** `--runtime-config` */
export function runtimeConfigOption(): Option {
  return new Option(
    '--runtime-config <versions>',
    'what is served on request, as GROUP/VERSION=true, comma-separated; may be repeated (certificates.k8s.io/v1beta1)',
  ).argParser(gather);
}

/** Which features the flags of the API server, the controller manager and `up` switch on. Throws UsageError. */
export function featuresOf({ featureGates = [] }: FeatureFlags): Features {
  return chosen(understood('--feature-gates', readComponentGates(featureGates)));
}

/** The same of the kubelet's flags, over what its file says. Throws UsageError. */
export function kubeletGates({ featureGates = [] }: FeatureFlags, file: GateWishes = {}): Features {
  return chosen({ ...file, ...understood('--feature-gates', readKubeletGates(featureGates)) });
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

function understood(flag: string, read: ReturnType<typeof readComponentGates>): GateWishes {
  if ('problem' in read) throw new UsageError(`${flag}: ${read.problem}`);
  return read.read;
}

function chosen(wishes: GateWishes): Features {
  const made = chooseFeatures(wishes);
  if ('problem' in made) throw new UsageError(made.problem);
  return made.features;
}
