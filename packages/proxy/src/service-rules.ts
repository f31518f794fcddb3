import type { Service } from '@binnacle/api/core/v1';
import { canonicalAddress, formatRange, ipFamily, ipRange, isInRange, ofFamily } from '@binnacle/base';
import type { IpRange } from '@binnacle/base';
import type { Backend, ExternalRules, Family, Fate, Firewall, ServiceRules } from '@binnacle/network';
import { answersAnywhere, chooseForCluster, chooseForLocal, chooseForNear } from './choose-endpoints.ts';
import type { Whereabouts } from './choose-endpoints.ts';
import { portKey, protocolOf } from './endpoints.ts';
import type { EndpointPlace, EndpointsByPort } from './endpoints.ts';

/** What of a node bears on one Service's rules. */
export interface RuleNode extends Whereabouts {
  /** The node's own addresses: who may be let in by a source range although it comes by another way. */
  readonly addresses: readonly string[];
  /** Nodes that reach the world through this one. Absent: none. */
  readonly guests?: readonly string[];
}

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

const NONE = 'None';
const AFFINITY_SECONDS = 10_800;

/** The rules of a Service on a node: one for every port and family. None for headless ones and mere names. */
export function rulesOfService(service: Service, endpoints: EndpointsByPort, node: RuleNode): ServiceRules[] {
  const { spec } = service;
  if (spec === undefined || spec.type === 'ExternalName') return [];
  const clusterIPs = spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP]);
  return clusterIPs
    .filter((address) => address !== NONE)
    .flatMap(readAddress)
    .flatMap((clusterIP) =>
      (spec.ports ?? []).flatMap((port) => {
        const made = rulesOfPort({ service, port, clusterIP }, endpoints, node);
        return made === undefined ? [] : [made];
      }),
    );
}

interface Place {
  readonly service: Service;
  readonly port: ServicePort;
  readonly clusterIP: string;
}

function rulesOfPort(place: Place, endpoints: EndpointsByPort, node: RuleNode): ServiceRules | undefined {
  const { service, port, clusterIP } = place;
  const { metadata, spec } = service;
  const protocol = protocolOf(port.protocol);
  if (protocol === undefined || spec === undefined) return undefined;
  const family = ipFamily(clusterIP);
  const all = endpoints.get(portKey(family, port.name ?? '', protocol)) ?? [];
  const cluster = chooseForCluster(all, node);
  const local = chooseForLocal(all);
  const anywhere = answersAnywhere(all);
  const internalFate = fateOf(spec.internalTrafficPolicy === 'Local' ? { local } : {}, anywhere);
  // Whose address is the load balancer's sends to every node that has somebody, as others ask nodes for their health.
  const isBalancer = spec.type === 'LoadBalancer' && (node.guests ?? []).length > 0;
  const near = isBalancer ? chooseForNear(all) : [];
  const external = externalOf(place, family, { here: isBalancer ? { near } : { local }, anywhere });
  const firewall = external === undefined ? undefined : firewallOf(place, family, node);
  const fates = new Set([internalFate, external?.fate, external?.insideFate]);
  const backends = {
    cluster: fates.has('cluster') ? backendsOf(cluster) : [],
    local: fates.has('local') ? backendsOf(local) : [],
    ...(fates.has('near') ? { near: backendsOf(near) } : {}),
  };
  const lingering = protocol === 'udp' ? lingeringOf(all, backends) : [];
  return {
    id: [metadata.namespace ?? '', metadata.name ?? '', port.name ?? '', protocol, family].join('/'),
    family,
    protocol,
    port: port.port,
    clusterIP,
    internalFate,
    ...(external === undefined ? {} : { external }),
    ...(firewall === undefined ? {} : { firewall }),
    backends,
    ...(lingering.length === 0 ? {} : { lingering }),
    affinitySeconds: affinityOf(service),
  };
}

/** By whom alone a policy lets answer; nothing: anybody. */
type Here = { readonly [fate in 'local' | 'near']?: readonly EndpointPlace[] };

function fateOf({ local, near }: Here, anywhere: boolean): Fate {
  if (!anywhere) return 'reject';
  if (near !== undefined) return near.length > 0 ? 'near' : 'drop';
  if (local === undefined) return 'cluster';
  return local.length > 0 ? 'local' : 'drop';
}

function externalOf(
  { service, port }: Place,
  family: Family,
  { here, anywhere }: { readonly here: Here; readonly anywhere: boolean },
): ExternalRules | undefined {
  const { spec } = service;
  const given = [...(spec?.externalIPs ?? []).flatMap(readAddress), ...balancerAddresses(service, port)];
  const addresses = ofFamily([...new Set(given)], family).toSorted();
  const nodePort = port.nodePort ?? 0;
  if (addresses.length === 0 && nodePort === 0) return undefined;
  const keepsSource = spec?.externalTrafficPolicy === 'Local';
  return {
    addresses,
    nodePort,
    fate: fateOf(keepsSource ? here : {}, anywhere),
    keepsSource,
    insideFate: anywhere ? 'cluster' : 'reject',
  };
}

/**
 * Addresses that a load balancer delivers as they are; one that works as a proxy comes by the node port. Where the status says which
 * ports were given with an address, others are not the Service's there, whatever it asks for by now.
 */
function balancerAddresses({ status }: Service, asked: ServicePort): string[] {
  const { port: number, protocol: asks = 'TCP' } = asked;
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '', ipMode = 'VIP', ports = [] }) => {
    const isGiven = ports.length === 0 || ports.some(({ port, protocol }) => port === number && protocol === asks);
    return ipMode === 'VIP' && isGiven ? readAddress(ip) : [];
  });
}

/** A range that has everybody in it is as good as none; one that means nothing has nobody in it. */
function firewallOf({ service, port }: Place, family: Family, { addresses: own }: RuleNode): Firewall | undefined {
  const given = service.spec?.loadBalancerSourceRanges ?? [];
  const addresses = ofFamily(balancerAddresses(service, port), family);
  const bears = (range: IpRange | undefined): boolean =>
    range === undefined || range.bytes.length === (family === 'IPv4' ? 4 : 16);
  const sources = given.map((text) => ipRange(text)).filter(bears);
  const ranges = sources.flatMap((range) => range ?? []);
  if (addresses.length === 0 || sources.length === 0 || ranges.some(({ bits }) => bits === 0)) return undefined;
  // A machine that has the balancer's address as its own speaks to itself from that address.
  const letsNodeIn = ranges.some((range) => own.some((address) => isInRange(range, address)));
  const all = [...new Set([...ranges.map(formatRange), ...(letsNodeIn ? addresses : [])])];
  return { addresses: [...new Set(addresses)].toSorted(), sources: all.toSorted() };
}

function affinityOf({ spec }: Service): number {
  if (spec?.sessionAffinity !== 'ClientIP') return 0;
  return spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? AFFINITY_SECONDS;
}

/** Sorted, so that the same endpoints in another order are no change. */
function backendsOf(places: readonly EndpointPlace[]): Backend[] {
  return places
    .map(({ address, port, local }) => ({ address, port, local }))
    .toSorted((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : a.port - b.port));
}

/** Those that serve, and that nobody new is sent to. */
function lingeringOf(
  all: readonly EndpointPlace[],
  chosen: ServiceRules['backends'],
): NonNullable<ServiceRules['lingering']> {
  const known = new Set([...chosen.cluster, ...chosen.local, ...(chosen.near ?? [])].map(placeText));
  const serving = all.filter((place) => place.standing !== 'out' && !known.has(placeText(place)));
  return backendsOf(serving).map(({ address, port }) => ({ address, port }));
}

function placeText({ address, port }: Pick<Backend, 'address' | 'port'>): string {
  return `${address} ${port}`;
}

/** In its one spelling: a driver's tool would refuse all rules over two of one address. Nothing for what is none. */
function readAddress(text: string): string[] {
  const address = canonicalAddress(text);
  return address === undefined ? [] : [address];
}
