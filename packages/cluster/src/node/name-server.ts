import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { createEventRecorder } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { ClusterZone, followCluster, Forwarder, Resolver } from '@binnacle/dns';
import type { ForwardingConfig, Upstream } from '@binnacle/dns';
import { listenDns, machineServerFiles, machineServers, networkExchange } from '@binnacle/dns/node';
import type { UserInfo } from '@binnacle/machinery';
import { DNS, ensureDnsObjects } from '../dns-objects.ts';
import { ADMIN } from '../identities.ts';
import { dnsAddressIn, serviceRangesIn } from '../service-ranges.ts';
import type { World } from '../world.ts';
import { followFile } from './follow-file.ts';
import { InsiderGate } from './insiders.ts';
import type { Insiders } from './insiders.ts';

/** A name server of the cluster, and where it listens. */
export interface NameServerOptions {
  readonly clientAs: (user: UserInfo) => Client;
  readonly clusterDomain: string;
  readonly host: string;
  /** 0: any. */
  readonly port: number;
  /** To ask for others' names. Absent: the machine's. */
  readonly upstreams?: readonly Upstream[];
  /** Where the machine names its own. Absent: `/etc/resolv.conf`. */
  readonly resolvConf?: string;
  /** Who is answered beside this machine itself. Absent: everybody. */
  readonly insiders?: () => Insiders;
  readonly world: World;
  readonly scope: Scope;
}

/** Seconds that an answer about the cluster may be kept, as upstream's Corefile says. */
const DNS_TTL = 30;

/** Answers over UDP and TCP once it knows what the API has; the Service `kube-dns` is made. Throws what listening throws. */
export async function startNameServer(options: NameServerOptions): Promise<{ readonly port: number }> {
  const { clientAs, clusterDomain, host, port, insiders = () => undefined, world, scope } = options;
  const log = world.log.named('dns');
  const findServers = async (): Promise<ForwardingConfig> => ({
    upstreams: options.upstreams ?? (await machineServers(log, { host, port }, options.resolvConf)),
    stubs: new Map(),
  });
  let machine = await findServers();
  const serial = Math.floor(world.clock.now() / 1000);
  const [range = ''] = await serviceRangesIn(clientAs(ADMIN));
  const address = dnsAddressIn(range);
  const zone = new ClusterZone({ domain: clusterDomain, ttl: DNS_TTL, serial, addresses: [address] });
  const forwarder = new Forwarder({ exchange: networkExchange, clock: world.clock, random: world.random, log });
  forwarder.configure(machine);
  const resolver = new Resolver({ zone, forwarder, clock: world.clock, random: world.random, log });
  const dnsScope = scope.child('dns');
  const probe = (): void => dnsScope.run('loop probe', () => resolver.probeLoop());
  let listens = false;
  const configure = (config: ForwardingConfig): void => {
    forwarder.configure(config);
    // Before, nothing could come back.
    if (listens) probe();
  };
  await ensureDnsObjects(clientAs(ADMIN), address);
  const at = { client: clientAs(DNS), world: { ...world, log }, scope: dnsScope };
  const events = createEventRecorder({ ...at, component: 'binnacle-dns' });
  const configureAgain = await followCluster({ ...at, zone, machine: () => machine, configure, events });
  await followMachine(options, dnsScope, async () => {
    const found = await findServers();
    // A machine that has left a network may come back to it: till then what is kept of before serves.
    if (found.upstreams.length === 0 || JSON.stringify(found.upstreams) === JSON.stringify(machine.upstreams)) return;
    machine = found;
    configureAgain();
  });
  const gate = new InsiderGate(insiders, world.clock);
  const letsIn = (client: string): boolean => gate.letsIn(client);
  const listener = await listenDns({ resolver, host, port, log, letsIn });
  dnsScope.defer(() => listener.close());
  listens = true;
  probe();
  return { port: listener.port };
}

/** Looks again now, and whenever the machine may have other name servers. */
async function followMachine(
  { upstreams, resolvConf, world }: NameServerOptions,
  scope: Scope,
  lookAgain: () => Promise<void>,
): Promise<void> {
  if (upstreams !== undefined) return;
  const onChange = (): void => scope.run('name servers of the machine', lookAgain);
  for (const file of await machineServerFiles(resolvConf)) {
    try {
      followFile(file, scope, { world, onChange });
    } catch (error) {
      // The kernel has room for so many who watch. Names are answered all the same.
      world.log.warn('a file that tells of name servers is not followed', { file, reason: messageOf(error) });
    }
  }
  await lookAgain();
}
