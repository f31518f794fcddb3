import { readFileSync } from 'node:fs';
import { TestkitError } from './errors.ts';

/** The network of a cluster's pods, as the cluster's own network configuration has it. */
export interface PodNetwork {
  readonly bridge: string;
  readonly subnets: readonly string[];
}

interface Plugin {
  readonly bridge?: string;
  readonly ipam?: { readonly ranges?: readonly (readonly { readonly subnet: string }[])[] };
}

/**
 * Reads it. Throws TestkitError where it names no network: whoever looks for what a cluster has left of it would find
 * nothing, and be content.
 */
export function podNetwork(dataDir: string): PodNetwork {
  const path = `${dataDir}/containerd/cni/net.d/10-binnacle.conflist`;
  const { plugins } = JSON.parse(readFileSync(path, 'utf8')) as { readonly plugins: readonly Plugin[] };
  const { bridge, ipam } = plugins.find((plugin) => plugin.bridge !== undefined) ?? {};
  const subnets = (ipam?.ranges ?? []).flat().map(({ subnet }) => subnet);
  if (bridge === undefined || subnets.length === 0) throw new TestkitError(`${path} names no network of pods`);
  return { bridge, subnets };
}
