import { readFile } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { inRanges, messageOf, validHostName } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { acceptForwarding, forgetForwarding } from '@binnacle/cluster/node/forward-accept';
import { openHealthCheckPorts } from '@binnacle/cluster/node/health-check-ports';
import { keepPolicies, tablePolicies } from '@binnacle/cluster/node/node-policies';
import { isLoopbackHost, ownAddresses } from '@binnacle/cluster/node/own-addresses';
import { neighbourDoors, openProxyMode, removeOtherModes } from '@binnacle/cluster/node/proxy-modes';
import { removePodLinks, startPodRoutes } from '@binnacle/cluster/node/pod-network';
import type { ProxyMode } from '@binnacle/cluster/node/proxy-modes';
import { sayOverlaps } from '@binnacle/cluster/node/range-overlaps';
import { guardRules } from '@binnacle/cluster/node/rule-guard';
import type { GuardedRules } from '@binnacle/cluster/node/rule-guard';
import { watchTables } from '@binnacle/cluster/node/table-watch';
import { serviceRangesTold } from '@binnacle/cluster/service-ranges';
import type { World } from '@binnacle/cluster/world';
import { NftSession, toolRunner } from '@binnacle/network/nftables';
import { NetworkError } from '@binnacle/network';
import type { NodeRules, PodNetworkMode } from '@binnacle/network';
import {
  answerAboutHealth,
  answerAboutWork,
  conntrackSettings,
  readProxyConfiguration,
  runProxy,
} from '@binnacle/proxy';
import type { ProxyConfiguration, ProxyOptions, RunningProxy } from '@binnacle/proxy';
import { UsageError } from '../errors.ts';
import { raiseSettings, setOomScore } from '../host/kernel-settings.ts';
import { openWire } from '../host/open-wire.ts';
import { runUntilStopped } from '../host/process.ts';
import { serveProxyPages } from '../host/proxy-health.ts';

/** The flags of `binnacle proxy`. */
export interface ProxyFlags {
  readonly kubeconfig?: string;
  /** A KubeProxyConfiguration. */
  readonly config?: string;
  readonly hostnameOverride?: string;
  /** Absent: as the file says, or nftables. */
  readonly proxyMode?: ProxyMode;
  /** Absent: somebody else sees to other nodes' pods. */
  readonly podNetwork?: PodNetworkMode;
  /** Takes the rules away and ends. */
  readonly cleanup?: boolean;
  readonly v: number;
}

const EMPTY = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };
const TABLE = 'binnacle-proxy';
/** Names of links have 15 letters at the most. */
const LINKS = 'binnacle';

/** `binnacle proxy`: Services on this machine, against any API server. Rules stay when it ends; `--cleanup` takes them. */
export async function proxy(flags: ProxyFlags): Promise<void> {
  await runUntilStopped('proxy', flags.v, async (scope, log) => {
    if (flags.cleanup === true) {
      await forgetForwarding(toolRunner(), TABLE, log);
      await removeOtherModes(undefined, { name: TABLE, run: toolRunner(), log });
      await forgetPolicies(log);
      await removePodLinks(LINKS);
      process.exit(0);
    }
    await run({ flags, scope, log });
  });
}

/** What parts of the proxy are made with. */
interface Place {
  readonly client: Client;
  readonly nodeName: string;
  readonly world: World;
  readonly scope: Scope;
}

async function run(of: { readonly flags: ProxyFlags; readonly scope: Scope; readonly log: Logger }): Promise<void> {
  const { flags, scope, log } = of;
  const file = await readConfiguration(flags.config);
  const { podNetwork, kubeconfig = file.kubeconfig } = flags;
  if (kubeconfig === undefined)
    throw new UsageError('--kubeconfig is needed (or clientConnection.kubeconfig in the file)');
  if (podNetwork !== undefined && file.podRanges.length === 0)
    throw new UsageError('--pod-network needs clusterCIDR in the configuration: the pods of all nodes');
  if (file.oomScoreAdj !== undefined) await setOomScore(file.oomScoreAdj, log);
  const client = createClient(await openWire(kubeconfig, scope, { userAgent: 'binnacle-proxy', log }));
  const nodeName = (flags.hostnameOverride ?? file.hostnameOverride ?? validHostName(hostname())).toLowerCase();
  const place: Place = { client, nodeName, world: { clock: realClock, random: secureRandom, log }, scope };
  const serviceRanges = await serviceRangesOf(client, log);
  for (const sentence of await sayOverlaps(toolRunner(), { Services: serviceRanges }, [])) log.warn(sentence);
  const rules = rulesOf({ ...file, masqueradesOut: podNetwork !== undefined }, serviceRanges);
  const mode = flags.proxyMode ?? file.mode;
  const running = await startProxy(place, { file, rules, mode, podNetwork });
  const { healthzBindAddress, metricsBindAddress } = file;
  const pages = {
    health: { address: healthzBindAddress, pages: (path: string) => answerAboutHealth(path, running, Date.now()) },
    work: { address: metricsBindAddress, pages: (path: string) => answerAboutWork(path, running.report, mode) },
  };
  await serveProxyPages(pages, { scope, log });
  await running.whenTried();
  // The kernel has a table of connections once rules ask for it.
  await raiseSettings(conntrackSettings(file.conntrack, availableParallelism()), log);
  if (podNetwork !== undefined) startPodRoutes({ ...place, name: LINKS, mode: podNetwork });
  process.stdout.write(
    `${JSON.stringify({ pid: process.pid, nodeName, mode, synced: running.report.syncedAt !== undefined })}\n`,
  );
}

/** The rules of Services, and, where the pods' network is ours, of policies, with eyes upon what others do to them. */
async function startProxy(
  place: Place,
  of: {
    readonly file: ProxyConfiguration;
    readonly rules: NodeRules;
    readonly mode: ProxyMode;
    readonly podNetwork: PodNetworkMode | undefined;
  },
): Promise<RunningProxy> {
  const { file, rules, mode, podNetwork } = of;
  const { world, scope } = place;
  const { log } = world;
  const driver = { name: TABLE, run: toolRunner(), log };
  const session = new NftSession({ clock: realClock, log });
  scope.defer(() => session.close());
  const eyes = { look: (): Promise<void> => Promise.resolve() };
  const watch = watchTables({ log, scope }, () => eyes.look());
  const network = await openProxyMode(mode, { ...driver, session, quietly: watch.quietly.bind(watch) });
  await removeOtherModes(mode, driver);
  const running = runProxy({
    ...{ ...place, network, rules, minSyncMs: file.minSyncMs },
    takenPorts: neighbourDoors(TABLE),
    healthChecks: openHealthCheckPorts(scope),
    ...nodePortsOf(file),
  });
  const services = {
    isThere: () => network.isThere(),
    resync: () => running.resync(),
    lookAround: () => running.lookAround(),
  };
  const policies = podNetwork === undefined ? await noPolicies(log) : [guardedPolicies(place, session)];
  const each = letThrough(podNetwork, file.podRanges, log);
  eyes.look = guardRules([...policies, services], { clock: realClock, scope, ...each });
  return running;
}

/** Pods are held back by whose network they are on. */
function guardedPolicies(place: Place, session: NftSession): GuardedRules {
  const network = tablePolicies({ bridge: TABLE, log: place.world.log, session });
  const held = keepPolicies(place, network);
  return { isThere: () => network.isThere(), resync: () => held.resync() };
}

/** What an earlier proxy left that had a pod network. */
async function noPolicies(log: Logger): Promise<readonly GuardedRules[]> {
  await forgetPolicies(log);
  return [];
}

async function forgetPolicies(log: Logger): Promise<void> {
  try {
    await tablePolicies({ bridge: TABLE, log }).remove();
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    log.info(2, 'rules of network policies were not looked for', { reason: messageOf(error) });
  }
}

/** What ClusterIPs are given out of, where the server tells. */
async function serviceRangesOf(client: Client, log: Logger): Promise<readonly string[]> {
  const ranges = await serviceRangesTold(client);
  if (ranges === undefined)
    log.warn(
      'the server does not tell the ranges of Services: what goes to an address that no Service has leaves this machine',
    );
  return ranges ?? [];
}

/** Who leads pods of several machines to each other has a firewall let them through; else that is the pod network's, whose pods they are. */
function letThrough(
  podNetwork: PodNetworkMode | undefined,
  ranges: readonly string[],
  log: Logger,
): { readonly each?: () => Promise<void> } {
  if (podNetwork === undefined) return {};
  const run = toolRunner();
  return { each: () => acceptForwarding(run, { name: TABLE, links: [], ranges }, log) };
}

function rulesOf(
  file: ProxyConfiguration & { readonly masqueradesOut: boolean },
  serviceRanges: readonly string[],
): NodeRules {
  const { podRanges, masqueradeAll, masqueradeBit } = file;
  return {
    podRanges,
    serviceRanges,
    masqueradeAll,
    masqueradeBit,
    ...(file.masqueradesOut ? { masqueradeOut: { from: podRanges, except: podRanges } } : {}),
  };
}

/** Where node ports answer, asked each time: addresses of a machine come and go. Never on loopback, whose packets go nowhere else. */
function nodePortsOf({ nodePortRanges }: ProxyConfiguration): Pick<ProxyOptions, 'nodePortAddresses'> {
  if (nodePortRanges === 'primary') return { nodePortAddresses: nodePortRanges };
  const isWanted = inRanges(nodePortRanges);
  const isServed = (address: string): boolean => !isLoopbackHost(address) && isWanted(address);
  return nodePortRanges.length === 0 ? {} : { nodePortAddresses: () => ownAddresses().filter(isServed) };
}

async function readConfiguration(path: string | undefined): Promise<ProxyConfiguration> {
  if (path === undefined) return readProxyConfiguration(EMPTY);
  const { readYaml } = await import('@binnacle/machinery/yaml');
  try {
    return readProxyConfiguration(readYaml(await readFile(path, 'utf8')).value);
  } catch (error) {
    throw new UsageError(`cannot read the proxy configuration ${path}`, error);
  }
}
