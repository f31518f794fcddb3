import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ContainerdNodeOptions } from '@binnacle/cluster/node/containerd-node';
import { UsageError } from '../errors.ts';

/** The flags that say where the plugins of the pods' network are from, and what else decides whether they can be heeded. */
export interface CniFlags {
  /** Somebody else puts CNI's configuration there. */
  readonly cniConfDir?: string;
  readonly cniBinDir?: string;
  readonly runtime?: string;
  readonly containerRuntimeEndpoint?: string;
  readonly podNetwork?: unknown;
  readonly workers?: number;
}

/** Throws UsageError where the flags of CNI could not be heeded: only our own containerd is told by us. */
export async function refuseOddCni(flags: CniFlags): Promise<void> {
  for (const [flag, folder] of [
    ['--cni-conf-dir', flags.cniConfDir],
    ['--cni-bin-dir', flags.cniBinDir],
  ] as const) {
    if (folder === undefined) continue;
    if (flags.containerRuntimeEndpoint !== undefined)
      throw new UsageError(`${flag}: a runtime of --container-runtime-endpoint has CNI folders of its own`);
    if (flags.runtime === 'simulated' || flags.runtime === 'docker')
      throw new UsageError(`${flag} needs --runtime=containerd`);
    if ((flags.workers ?? 0) > 0)
      throw new UsageError(`${flag} and --workers exclude each other: further nodes are on a network of our own`);
    await refuseNoFolder(flag, folder);
  }
  if (flags.cniConfDir !== undefined && flags.podNetwork !== undefined)
    throw new UsageError(
      "--cni-conf-dir and --pod-network exclude each other: ways to other nodes' pods are the plugin's",
    );
}

async function refuseNoFolder(flag: string, folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new UsageError(`${flag}: cannot read ${folder}`, error);
  });
  if (!found.isDirectory()) throw new UsageError(`${flag}: ${folder} is no folder`);
}

/** What of it the containerd is told, by whole paths. */
export function cniFolders({ cniConfDir, cniBinDir }: CniFlags): NonNullable<ContainerdNodeOptions['cni']> {
  return {
    ...(cniConfDir === undefined ? {} : { confDir: resolve(cniConfDir) }),
    ...(cniBinDir === undefined ? {} : { binDir: resolve(cniBinDir) }),
  };
}

/** What people should know of pods that somebody else joins. */
export function aboutOthersNetwork({ cniConfDir }: CniFlags): string | undefined {
  if (cniConfDir === undefined) return undefined;
  return `pods are joined by what is in ${resolve(cniConfDir)}: it has to give them addresses of --pod-cidr, and NetworkPolicies hold only what the machine itself routes or bridges (not macvlan, ipvlan, devices moved into pods)`;
}
