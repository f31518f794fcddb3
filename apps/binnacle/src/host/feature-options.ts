import { Option } from 'commander';

const gather = (text: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), text];

/** `--feature-gates` */
export function featureGatesOption(): Option {
  return new Option(
    '--feature-gates <gates>',
    'GATE=true or GATE=false, comma-separated; may be repeated. Off by default and built: ClusterTrustBundle, ClusterTrustBundleProjection, ContainerStopSignals, MaxUnavailableStatefulSet, TaintTolerationComparisonOperators',
  ).argParser(gather);
}

/** `--runtime-config` */
export function runtimeConfigOption(): Option {
  return new Option(
    '--runtime-config <versions>',
    'what is served on request, as GROUP/VERSION=true, comma-separated; may be repeated (certificates.k8s.io/v1beta1)',
  ).argParser(gather);
}
