import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { SERVICE_CIDRS } from '@binnacle/api';
import { inRanges, validHostName } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient } from '@binnacle/client';
import { acceptForwarding, forgetForwarding } from '@binnacle/cluster/node/forward-accept';
import { isLoopbackHost, ownAddresses } from '@binnacle/cluster/node/own-addresses';
import { neighbourDoors, openProxyMode, removeOtherModes } from '@binnacle/cluster/node/proxy-modes';
import { removePodLinks, startPodRoutes } from '@binnacle/cluster/node/pod-network';
import type { ProxyMode } from '@binnacle/cluster/node/proxy-modes';
import { guardRules } from '@binnacle/cluster/node/rule-guard';
import { watchTables } from '@binnacle/cluster/node/table-watch';
import { NftSession, toolRunner } from '@binnacle/network/nftables';
import type { NodeRules, PodNetworkMode } from '@binnacle/network';
import { readProxyConfiguration, runProxy } from '@binnacle/proxy';
import type { ProxyConfiguration, ProxyOptions } from '@binnacle/proxy';
import { UsageError } from '../errors.ts';
import { openWire } from '../host/open-wire.ts';
import { runUntilStopped } from '../host/process.ts';
import { serveAboutProxy } from '../host/proxy-health.ts';

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
      await removePodLinks(LINKS);
      process.exit(0);
    }
    await run({ flags, scope, log });
  });
}

async function run(of: { readonly flags: ProxyFlags; readonly scope: Scope; readonly log: Logger }): Promise<void> {
  const { flags, scope, log } = of;
  const file = await readConfiguration(flags.config);
  const kubeconfig = flags.kubeconfig ?? file.kubeconfig;
  if (kubeconfig === undefined)
    throw new UsageError('--kubeconfig is needed (or clientConnection.kubeconfig in the file)');
  const client = createClient(await openWire(kubeconfig, scope, { userAgent: 'binnacle-proxy', log }));
  const world = { clock: realClock, random: secureRandom, log };
  const nodeName = (flags.hostnameOverride ?? file.hostnameOverride ?? validHostName(hostname())).toLowerCase();
  const { items } = await client.resource(SERVICE_CIDRS).list();
  const { podNetwork } = flags;
  if (podNetwork !== undefined && file.podRanges.length === 0)
    throw new UsageError('--pod-network needs clusterCIDR in the configuration: the pods of all nodes');
  const rules = rulesOf(
    { ...file, masqueradesOut: podNetwork !== undefined },
    items.flatMap(({ spec }) => spec?.cidrs ?? []),
  );
  const mode = flags.proxyMode ?? file.mode;
  const driver = { name: TABLE, run: toolRunner(), log };
  const session = new NftSession({ clock: realClock, log });
  scope.defer(() => session.close());
  const eyes = { look: (): Promise<void> => Promise.resolve() };
  const watch = watchTables({ log, scope }, () => eyes.look());
  const quietly = watch.quietly.bind(watch);
  const network = await openProxyMode(mode, { ...driver, session, quietly });
  await removeOtherModes(mode, driver);
  const running = runProxy({
    ...{ client, world, scope, network, nodeName, rules, minSyncMs: file.minSyncMs },
    takenPorts: neighbourDoors(TABLE),
    ...nodePortsOf(file),
  });
  const guarded = {
    isThere: () => network.isThere(),
    resync: () => running.resync(),
    lookAround: () => running.lookAround(),
  };
  eyes.look = guardRules([guarded], { clock: realClock, scope, ...letThrough(podNetwork, file.podRanges, log) });
  for (const address of new Set([file.healthzBindAddress, file.metricsBindAddress])) {
    if (address !== '') await serveAboutProxy({ address, running, scope, log });
  }
  await running.whenTried();
  if (podNetwork !== undefined) startPodRoutes({ client, nodeName, name: LINKS, mode: podNetwork, world, scope });
  process.stdout.write(
    `${JSON.stringify({ pid: process.pid, nodeName, mode, synced: running.report.syncedAt !== undefined })}\n`,
  );
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
