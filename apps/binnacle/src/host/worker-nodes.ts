import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { hostPort, ipRange, messageOf, ofFamily } from '@binnacle/base';
import type { IpFamily, Scope } from '@binnacle/base';
import { DNS } from '@binnacle/cluster/dns-objects';
import { ADMIN, KUBE_PROXY, nodeIdentity, POLICY_READER } from '@binnacle/cluster/identities';
import { bridgeName } from '@binnacle/cluster/node/containerd-node';
import type { ComponentOptions } from '@binnacle/cluster/components';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import { layOutNodes } from '@binnacle/cluster/node/node-layout';
import type { NodeLayout, WorkerPlace } from '@binnacle/cluster/node/node-layout';
import { linkNodes, unlinkNodes } from '@binnacle/cluster/node/node-links';
import { askForPodRanges } from '@binnacle/cluster/node/pod-ranges';
import { gatewayOf } from '@binnacle/cluster/node/pod-bridge';
import type { World } from '@binnacle/cluster/world';
import { toolRunner } from '@binnacle/network/nftables';
import { ChildFailedError, CommandFailedError, UsageError } from '../errors.ts';
import { hasIPv6 } from './address-families.ts';
import { gatesOf } from './feature-choice.ts';
import type { FeatureFlags } from './feature-choice.ts';
import { NODE_DEFAULTS } from './node-flags.ts';
import type { RuntimeKind } from './node-runtime.ts';
import type { DataDir } from './data-dir.ts';
import { openDataDir } from './data-dir.ts';
import { rememberForDown } from './down-record.ts';
import type { DownRecord } from './down-record.ts';
import { withFewHeaps } from './few-heaps.ts';
import { keepProcess } from './kept-process.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { portOf } from './listen-address.ts';
import { writeNodeNetwork } from './node-network.ts';
import { hasOtherMachines, isExposed } from './node-services.ts';
import type { ServiceFlags } from './node-services.ts';
import type { Progress } from './progress.ts';
import { writePrivateFile } from './record-file.ts';
import { dnsAddressOf } from './service-ranges.ts';

/** What says how many nodes this machine is. */
export interface WorkerFlags extends FeatureFlags, ServiceFlags {
  /** Further nodes, each in a network namespace of its own. */
  readonly workers: number;
  /** Addresses of nodes; used where there are further ones. */
  readonly nodeCidr: readonly string[];
  readonly image?: readonly string[];
  readonly v: number;
}

const PREFIX_LENGTH = 12;
/** Of nodes where pods have IPv6 and nobody says. */
const NODE_CIDR_SIX = 'fd00:10:245::/64';

/** How the machine's nodes lie; undefined where it is the only one. Throws UsageError. */
export function layOut(flags: WorkerFlags, dataDir: DataDir, kind: RuntimeKind): NodeLayout | undefined {
  if (flags.workers === 0) {
    if (flags.clusterCidr !== undefined && !hasOtherMachines(flags))
      throw new UsageError(
        '--cluster-cidr does nothing without --workers, --pod-network or --cni-conf-dir: this node is the only one',
      );
    return undefined;
  }
  if (kind !== 'containerd' || flags.containerRuntimeEndpoint !== undefined)
    throw new UsageError('--workers needs containers of our own; simulated nodes are made with --nodes');
  if (flags.podNetwork !== undefined)
    throw new UsageError(
      '--workers are nodes of this machine alone, --pod-network is for nodes of several: give one of them',
    );
  const bridge = bridgeName(dataDir.containerd);
  const { workers: count, podCidr: podCidrs, clusterCidr } = flags;
  const clusterRanges = clusterCidr === undefined ? {} : { clusterRanges: clusterCidr };
  const nodeRanges = nodeRangesOf(flags);
  try {
    return layOutNodes({ count, podCidrs, ...clusterRanges, nodeRanges, prefix: bridge.slice(0, PREFIX_LENGTH) });
  } catch (error) {
    throw new UsageError(`--workers: ${messageOf(error)}`, error);
  }
}

/** Nodes have an address of each family that pods have, by default too. */
function nodeRangesOf({ nodeCidr, podCidr }: WorkerFlags): readonly string[] {
  const isDefault = nodeCidr.join() === NODE_DEFAULTS.nodeCidr.join();
  return isDefault && hasIPv6(podCidr) ? [...nodeCidr, NODE_CIDR_SIX] : nodeCidr;
}

/** Out of what the cluster gives nodes their pods, and what the machine's own node is given; none where it is the only one. */
export function nodeNetworks(
  layout: NodeLayout | undefined,
  own: { readonly nodeName: string; readonly podCidr: readonly string[] },
): Partial<Pick<ComponentOptions, 'nodeCidrs'>> {
  if (layout === undefined) return {};
  const bitsOf = (family: IpFamily): number | undefined => ipRange(ofFamily(own.podCidr, family)[0] ?? '')?.bits;
  const [ipv4, ipv6] = [bitsOf('IPv4'), bitsOf('IPv6')];
  const maskSizes = { ...(ipv4 === undefined ? {} : { ipv4 }), ...(ipv6 === undefined ? {} : { ipv6 }) };
  const settled = { [own.nodeName]: own.podCidr };
  return { nodeCidrs: { clusterCidrs: layout.clusterRanges, maskSizes, settled } };
}

/** What the further nodes are started with. */
export interface WorkerWorld {
  readonly layout: NodeLayout | undefined;
  readonly flags: WorkerFlags;
  readonly clusterDomain: string;
  readonly plane: ControlPlane;
  /** Where further nodes reach the API server. */
  readonly server: string;
  readonly dataDir: DataDir;
  readonly progress: Progress;
  readonly world: World;
  readonly scope: Scope;
}

/** Where nodes in namespaces reach a server that this machine's own address is advertised for. */
export function serverFor(url: string, advertised: string | undefined): string {
  return advertised === undefined ? url : `https://${hostPort(advertised, portOf(url))}`;
}

/** Links the nodes and starts a process for each; they end with the scope. Resolves when they are Ready. */
export async function startWorkers(of: WorkerWorld): Promise<readonly string[]> {
  const { layout, dataDir } = of;
  if (layout === undefined) return [];
  const { bridge, workers } = layout;
  const places = workers.map(({ nodeName, namespace, link }) => ({ nodeName, namespace, link }));
  rememberForDown(dataDir, { workers: { bridge, places } });
  await linkNodes(toolRunner(), layout);
  // One after the other: ranges are given in the order of names.
  const ranges = new Map<string, readonly string[]>();
  for (const { nodeName } of workers) {
    const client = of.plane.clientAs(ADMIN);
    ranges.set(nodeName, await askForPodRanges(client, nodeName, { clock: of.world.clock, signal: of.scope.signal }));
  }
  await Promise.all(workers.map((worker) => startWorker({ ...of, layout }, worker, ranges.get(worker.nodeName) ?? [])));
  return workers.map(({ nodeName }) => nodeName);
}

async function startWorker(
  of: WorkerWorld & { readonly layout: NodeLayout },
  worker: WorkerPlace,
  podCidrs: readonly string[],
): Promise<void> {
  const { flags, world, scope, progress } = of;
  const { nodeName, namespace, addresses } = worker;
  const home = openDataDir(join(of.dataDir.workers, nodeName));
  const users = writeUsers(of, home, nodeName);
  const file = join(home.root, 'network.json');
  writeNodeNetwork(file, {
    clusterRanges: of.layout.clusterRanges,
    nodeRanges: of.layout.nodeRanges,
    cgroupRoot: worker.cgroupRoot,
    clusterDNS: flags.dns === 'on' ? [dnsAddressOf(flags)] : [],
    clusterDomain: of.clusterDomain,
    names: flags.dns === 'on',
    exposed: isExposed(flags),
    proxyMode: flags.proxyMode,
    upstream: gatewayOf(flags.podCidr[0] ?? ''),
    users,
  });
  const args = ['kubelet', '--runtime', 'containerd', '--data-dir', home.root, '--node-network', file];
  args.push('--kubeconfig', users[nodeIdentity(nodeName).name] ?? '', '--node-name', nodeName);
  args.push('--node-ip', addresses.join(), '--pod-cidr', podCidrs.join(), '-v', `${flags.v}`, '--output', 'json');
  const gates = Object.entries(gatesOf(flags)).map(([gate, on]) => `${gate}=${on}`);
  if (gates.length > 0) args.push('--feature-gates', gates.join());
  if (flags.image !== undefined) args.push('--image', ...flags.image);
  await keepProcess({
    name: nodeName,
    // Its input is the sign that we are there: it ends with us, however we end.
    launch: () => {
      const log = openSync(home.logFile, 'a', 0o600);
      const child = spawnInside(namespace, args, ['pipe', 'pipe', log]);
      closeSync(log);
      return child;
    },
    ready: (child) => untilReady(child, nodeName, home.logFile),
    ended: (code, againMs) => {
      world.log.warn('the process of a node ended', { nodeName, code, log: home.logFile, againMs });
      progress.say(`node ${nodeName} ended and is started again; see ${home.logFile}`);
    },
    clock: world.clock,
    scope,
  });
}

/** Kubeconfigs of whom a node's components speak as. */
function writeUsers({ plane, server }: WorkerWorld, home: DataDir, nodeName: string): { [name: string]: string } {
  const users: { [name: string]: string } = {};
  for (const { name, groups = [] } of [nodeIdentity(nodeName), ADMIN, KUBE_PROXY, DNS, POLICY_READER]) {
    const organizations = groups.filter((group) => group !== 'system:authenticated');
    const { certificate, key } = plane.certificates.issueClientCertificate({ commonName: name, organizations });
    const path = join(home.pki, `${name.replace(/[^a-z0-9-]/g, '-')}.kubeconfig`);
    writePrivateFile(path, renderKubeconfig('binnacle', { server, ca: plane.rootCA, certificate, key }));
    users[name] = path;
  }
  return users;
}

function spawnInside(
  namespace: string,
  args: readonly string[],
  stdio: ['pipe' | 'ignore', 'pipe' | 'inherit', number | 'inherit'],
): ChildProcess {
  const program = process.argv[1] ?? '';
  const command = [`--net=/run/netns/${namespace}`, process.execPath, ...process.execArgv, program, ...args];
  return spawn('nsenter', command, { env: withFewHeaps(process.env), stdio });
}

/** The first line that a kubelet says is that it is ready. */
async function untilReady(child: ChildProcess, nodeName: string, logFile: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout?.once('data', () => resolve());
  child.once('error', reject);
  child.once('exit', (code) => reject(new ChildFailedError(`node ${nodeName}`, `exit code ${code}; see ${logFile}`)));
  await promise;
}

/** `binnacle down` of further nodes: each in its own namespace, where its pods' network is; then the links. */
export async function downWorkers(
  dataDir: DataDir,
  { bridge, places }: NonNullable<DownRecord['workers']>,
  deletes: boolean,
): Promise<void> {
  const { silentLogger } = await import('@binnacle/base');
  for (const { nodeName, namespace } of places) {
    const home = join(dataDir.workers, nodeName);
    if (!existsSync(home) || !existsSync(`/run/netns/${namespace}`)) continue;
    const args = ['down', '--data-dir', home, ...(deletes ? ['--delete'] : [])];
    const child = spawnInside(namespace, args, ['ignore', 'inherit', 'inherit']);
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0)
      throw new CommandFailedError(`node ${nodeName} was not taken down (exit code ${code}); nothing else was removed`);
  }
  await unlinkNodes(toolRunner(), { bridge, workers: places }, silentLogger);
  mkdirSync(dataDir.root, { recursive: true });
  rememberForDown(dataDir, { workers: { bridge, places: [] } });
}
