import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import {
  bridgeName,
  joinRuntime,
  missingForContainerd,
  startContainerdNode,
} from '@binnacle/cluster/node/containerd-node';
import { DOCKER_ENDPOINT, openDockerNode } from '@binnacle/cluster/node/docker-node';
import type { NodeRuntime } from '@binnacle/cluster/node/containerd-node';
import { findPodMtu } from '@binnacle/cluster/node/pod-network';
import type { World } from '@binnacle/cluster/world';
import { groupTrouble } from '@binnacle/kubelet/node';
import type { PodNetworkMode } from '@binnacle/network';
import { toolRunner } from '@binnacle/network/nftables';
import { CommandFailedError, UsageError } from '../errors.ts';
import { hasIPv6 } from './address-families.ts';
import { cniFolders } from './cni-choice.ts';
import type { CniFlags } from './cni-choice.ts';
import type { DataDir } from './data-dir.ts';
import { rememberForDown, rememberGroup } from './down-record.ts';
import type { Progress } from './progress.ts';

/** What runs containers, or plays that it does. */
export type RuntimeKind = 'containerd' | 'docker' | 'simulated';

/** The flags that say what runs containers. */
export interface NodeFlags extends Pick<CniFlags, 'cniConfDir' | 'cniBinDir'> {
  readonly runtime: 'auto' | RuntimeKind;
  readonly containerRuntimeEndpoint?: string;
  readonly podCidr: readonly string[];
  /** Pods of other machines are reached so; absent: they are not. */
  readonly podNetwork?: PodNetworkMode;
  readonly image?: readonly string[];
}

/** Of a node beside others on this machine. */
export interface SharedMachine {
  readonly masquerade?: boolean;
  /** All its pods' group; absent: the usual one. */
  readonly cgroupRoot?: string | undefined;
}

/** What `auto` means on this machine. Throws CommandFailedError when containerd was asked for and cannot run. */
export async function chooseRuntime(flags: NodeFlags, progress: Progress): Promise<RuntimeKind> {
  if (flags.runtime === 'simulated' || flags.runtime === 'docker') return flags.runtime;
  if (flags.containerRuntimeEndpoint !== undefined) return 'containerd';
  const missing = await missingForContainerd(cniFolders(flags));
  if (missing.length === 0) return 'containerd';
  if (flags.runtime === 'containerd')
    throw new CommandFailedError(`cannot run containers: missing ${missing.join(', ')}`);
  progress.say(`no container runtime here (missing ${missing.join(', ')}): nodes are simulated, no process will run`);
  return 'simulated';
}

/** Throws UsageError for an archive that cannot be read: images are loaded when everything else runs. */
export async function refuseAbsentImages({ image = [] }: Pick<NodeFlags, 'image'>): Promise<void> {
  for (const path of image) {
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      throw new UsageError(`--image: cannot read ${path}`, error);
    }
  }
}

/** Throws UsageError, in upstream's words, where pods are to be below a group that is not there. */
async function refuseAbsentRoot(podsGroup: string | undefined): Promise<void> {
  const root = podsGroup?.slice(0, podsGroup.lastIndexOf('/')) ?? '';
  const trouble = root === '' ? undefined : await groupTrouble(root);
  if (trouble !== undefined) throw new UsageError(`invalid configuration: ${trouble}`);
}

/** Where a node's runtime is made. */
export interface NodePlace {
  readonly dataDir: DataDir;
  readonly world: World;
}

/** Opens what runs containers: an engine of Docker's, a containerd that is there, or our own. */
export async function openContainers(
  flags: NodeFlags,
  { dataDir, world }: NodePlace,
  shared: SharedMachine = {},
): Promise<NodeRuntime> {
  const images = flags.image ?? [];
  const { cgroupRoot, ...more } = shared;
  await refuseAbsentRoot(cgroupRoot);
  rememberGroup(dataDir, cgroupRoot);
  if (flags.runtime === 'docker') return openDocker(flags, { dataDir, world });
  const { containerRuntimeEndpoint: endpoint } = flags;
  if (endpoint !== undefined) {
    rememberForDown(dataDir, { endpoint });
    return joinRuntime({ endpoint, owner: dataDir.root, ...world }, images);
  }
  const { podNetwork } = flags;
  const podMtu = await findPodMtu(toolRunner(), { mode: podNetwork, podCidrs: flags.podCidr }, world.log);
  rememberForDown(dataDir, { podCidr: flags.podCidr.join() });
  return startContainerdNode(
    {
      stateDir: dataDir.containerd,
      kubeletDir: dataDir.kubelet,
      podCidrs: flags.podCidr,
      cni: cniFolders(flags),
      ...(podNetwork === undefined ? {} : { masquerade: false }),
      ...(podMtu === undefined ? {} : { podMtu }),
      ...more,
      clock: world.clock,
      log: world.log.named('runtime'),
    },
    images,
  );
}

function openDocker(flags: NodeFlags, { dataDir, world }: NodePlace): Promise<NodeRuntime> {
  const endpoint = flags.containerRuntimeEndpoint ?? DOCKER_ENDPOINT;
  const { podCidr: podCidrs } = flags;
  rememberForDown(dataDir, { docker: { endpoint, podCidr: podCidrs.join() } });
  const of = { endpoint, podCidrs, stateDir: dataDir.docker, bridge: bridgeName(dataDir.containerd) };
  const { clock, log } = world;
  return openDockerNode({ ...of, owner: dataDir.root, clock, log: log.named('runtime') }, flags.image ?? []);
}

/** Opens the one runtime of a kubelet of its own. */
export async function openNodeRuntime(
  flags: NodeFlags,
  place: NodePlace & { readonly progress: Progress },
  shared: SharedMachine = {},
): Promise<NodeRuntime> {
  if ((await chooseRuntime(flags, place.progress)) !== 'simulated') return openContainers(flags, place, shared);
  if ((flags.cniConfDir ?? flags.cniBinDir) !== undefined)
    throw new UsageError('--cni-conf-dir and --cni-bin-dir need a node that runs containers; this one is simulated');
  const { createSimulatedRuntime } = await import('@binnacle/runtime/simulated');
  const { clock, random } = place.world;
  const [podRange = ''] = flags.podCidr;
  if (hasIPv6(flags.podCidr)) throw new UsageError('--pod-cidr: pods of simulated nodes have addresses of IPv4 alone');
  return { runtime: createSimulatedRuntime({ clock, random, podRange }) };
}
