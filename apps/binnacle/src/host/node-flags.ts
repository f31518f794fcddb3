import { UsageError } from '../errors.ts';
import type { RuntimeKind } from './node-runtime.ts';

/** What only a node that runs containers can do. */
const REAL_ONLY = [
  'config',
  'configDir',
  'podManifestPath',
  'imageCredentialProviderConfig',
  'imageCredentialProviderBinDir',
  'nodeName',
  'nodeIp',
  'kubeletPort',
  'nodeStatusUpdateFrequency',
  'containerRuntimeEndpoint',
  'podNetwork',
  'cniConfDir',
  'cniBinDir',
  'clusterCidr',
  'loadBalancerPool',
  'expose',
] as const;

/** Flags with a value by default, which stands for nothing said. */
export const NODE_DEFAULTS = {
  podCidr: ['10.244.0.0/24'] as readonly string[],
  nodeCidr: ['10.245.0.0/24'] as readonly string[],
  proxyMode: 'nftables',
} as const;

/** Flags of `up` that are for one sort of node only; those of the other sort are absent or as they are by default. */
export type NodeSortFlags = { readonly nodes: number } & {
  readonly [flag in (typeof REAL_ONLY)[number] | keyof typeof NODE_DEFAULTS]?: unknown;
};

/** Throws UsageError for a flag that nodes of this kind cannot follow: it must not be dropped silently. */
export function refuseFlagsOfOthers(kind: RuntimeKind, flags: NodeSortFlags): void {
  if (kind !== 'simulated') {
    if (flags.nodes === 1) return;
    throw new UsageError(
      '--nodes is the number of simulated nodes (--runtime=simulated); further ones that run containers are made with --workers',
    );
  }
  const changed = Object.entries(NODE_DEFAULTS).find(([name, value]) => {
    const wanted = flags[name as keyof typeof NODE_DEFAULTS];
    return wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(value);
  });
  const given = REAL_ONLY.find((name) => flags[name] !== undefined) ?? changed?.[0];
  if (given === undefined) return;
  const flag = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag} needs a node that runs containers; the nodes of this cluster are simulated`);
}
