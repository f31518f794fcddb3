import { addressBytes } from '@binnacle/base';
import { isBelow, isWireName, LABEL_BYTES_MAX, labelsAbove, normalizeName } from './names.ts';
import { RCODE, TYPE } from './records.ts';
import type { Finding, RecordData, ResourceRecord } from './records.ts';
import { reverseName } from './reverse.ts';
import type { EndpointRecord, PortRecord, ServiceRecord, SliceRecord } from './services.ts';

/** The version of the DNS-based service discovery specification that is followed. */
const SPECIFICATION = '1.1.0';
const SOA = { refresh: 7200, retry: 1800, expire: 86_400 } as const;
/** Seconds; how long a no is believed. */
const NEGATIVE_TTL = 5;
const SRV_WEIGHT_SUM = 100;

/** What the names of a cluster are made with. */
export interface ZoneOptions {
  /** `cluster.local`. */
  readonly domain: string;
  /** Seconds. */
  readonly ttl: number;
  /** Of the zone's SOA: rises with every start of the server. */
  readonly serial: number;
  /** Addresses of the server itself, for `ns.dns.<domain>`. */
  readonly addresses: readonly string[];
}

/** One Service with its slices, by name. */
interface Known {
  service: ServiceRecord | undefined;
  readonly slices: Map<string, SliceRecord>;
  /** What was made of them for a question; dropped when they change. */
  made: Made | undefined;
}

/** A Service may have thousands of endpoints: they are gone through once, and not for each question. */
interface Made {
  /** Addresses by the endpoint's name. */
  hosts?: ReadonlyMap<string, readonly string[]>;
  /** By type and what of the Service was asked for: of names that are there alone. */
  readonly found: Map<string, Finding>;
  /** Of all findings together. */
  records: number;
}

/**
 * Records that are kept for each endpoint of a Service, and for one without any: whoever asks for each of thousands of ports would have
 * all endpoints kept for each of them.
 */
const KEPT_RECORDS_MAX = { perEndpoint: 8, least: 1000 } as const;
/** More than any message has room for, and than are ever told of at once. */
const PLACES_MAX = 10_000;

/** Types that there is something of, and that many ask for. */
const KEPT_TYPES: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.SRV, TYPE.ANY]);

/** The name that an address leads back to, as long as it does. */
interface Way {
  readonly name: string;
  readonly isService: boolean;
  readonly holds: () => boolean;
}

const ALWAYS = (): boolean => true;
/** More names for one address are not told: whoever writes slices may have any number of them name it. */
const WAYS_MAX = 64;

/**
 * The names of a cluster (Kubernetes DNS-based service discovery 1.1), from Services and EndpointSlices. Holds what it
 * is told; every answer is made of it, once until it changes where it takes long.
 */
export class ClusterZone {
  readonly #options: ZoneOptions;
  readonly #domain: string;
  /** By namespace, then by Service. */
  readonly #namespaces = new Map<string, Map<string, Known>>();
  /** Those that are there; one whose Services were told of first is there too. */
  readonly #toldNamespaces = new Set<string>();
  /** By reverse name, then by who says so: the name that an address leads back to. */
  readonly #reverse = new Map<string, Map<string, Way>>();
  #changes = 0;

  constructor(options: ZoneOptions) {
    this.#options = options;
    this.#domain = normalizeName(options.domain);
  }

  get domain(): string {
    return this.#domain;
  }

  /** Rises whenever something was told: as long as it stays, so do all answers. */
  get changes(): number {
    return this.#changes;
  }

  setNamespace(name: string): void {
    // Its labels and the like are no names.
    if (this.#toldNamespaces.has(name)) return;
    this.#changes++;
    this.#toldNamespaces.add(name);
  }

  removeNamespace(name: string): void {
    this.#changes++;
    this.#toldNamespaces.delete(name);
  }

  setService(service: ServiceRecord): void {
    this.removeService(service);
    const known = this.#known(service.namespace, service.name);
    known.service = service;
    known.made = undefined;
    const source = `service ${service.namespace}/${service.name}`;
    for (const address of service.addresses)
      this.#lead(address, source, { name: this.#nameOf(service), isService: true, holds: ALWAYS });
  }

  removeService({ namespace, name }: { readonly namespace: string; readonly name: string }): void {
    this.#changes++;
    const known = this.#namespaces.get(namespace)?.get(name);
    for (const address of known?.service?.addresses ?? []) this.#forget(address, `service ${namespace}/${name}`);
    if (known === undefined) return;
    known.service = undefined;
    known.made = undefined;
    this.#drop(namespace, name, known);
  }

  setSlice(slice: SliceRecord): void {
    this.removeSlice(slice);
    const known = this.#known(slice.namespace, slice.service);
    known.slices.set(slice.name, slice);
    known.made = undefined;
    // What a Service has an address of its own for goes by that; its endpoints are others' names, or nobody's.
    const holds = (): boolean => known.service?.headless === true;
    for (const endpoint of slice.endpoints) {
      const name = `${hostnameOf(endpoint)}.${this.#nameOf({ namespace: slice.namespace, name: slice.service })}`;
      this.#lead(endpoint.address, `slice ${slice.namespace}/${slice.name}`, { name, isService: false, holds });
    }
  }

  removeSlice({ namespace, service, name }: Pick<SliceRecord, 'namespace' | 'service' | 'name'>): void {
    this.#changes++;
    const known = this.#namespaces.get(namespace)?.get(service);
    const old = known?.slices.get(name);
    if (known === undefined || old === undefined) return;
    for (const { address } of old.endpoints) this.#forget(address, `slice ${namespace}/${name}`);
    known.slices.delete(name);
    known.made = undefined;
    this.#drop(namespace, service, known);
  }

  /** What is known of a name and type; undefined where the name is not ours. */
  find(name: string, type: number): Finding | undefined {
    if (isBelow(name, this.#domain)) return this.#inside(name, type);
    const targets = this.#waysBack(name);
    if (targets.size === 0) return undefined;
    if (type !== TYPE.PTR && type !== TYPE.ANY) return this.#nothing();
    return this.#found([...targets].map((target) => this.#record(name, { type: TYPE.PTR, target })));
  }

  /** A Service's own address is no one else's name: slices may name any address, others' too. */
  #waysBack(name: string): ReadonlySet<string> {
    const services = new Set<string>();
    const others = new Set<string>();
    for (const way of this.#reverse.get(name)?.values() ?? []) {
      const found = way.isService ? services : others;
      if (found.size < WAYS_MAX && way.holds()) found.add(way.name);
    }
    return services.size > 0 ? services : others;
  }

  #inside(name: string, type: number): Finding {
    const [kind, ...labels] = labelsAbove(name, this.#domain);
    switch (kind) {
      case undefined:
        return this.#apex(type);
      case 'dns-version':
        return labels.length > 0 ? this.#none() : this.#typed(name, type, [{ type: TYPE.TXT, texts: [SPECIFICATION] }]);
      case 'dns':
        return this.#server(name, type, labels);
      case 'svc':
        return this.#service(name, type, labels);
      case 'pod':
        return this.#pod(name, type, labels);
      default:
        return this.#none();
    }
  }

  #apex(type: number): Finding {
    const target = `ns.dns.${this.#domain}`;
    const soa = this.#soa();
    const records = [soa, this.#record(this.#domain, { type: TYPE.NS, target })];
    const wanted = records.filter((record) => type === record.type || type === TYPE.ANY);
    return wanted.length === 0 ? this.#nothing() : this.#found(wanted);
  }

  #server(name: string, type: number, labels: readonly string[]): Finding {
    if (labels.length === 0) return this.#nothing();
    if (labels.length > 1 || labels[0] !== 'ns') return this.#none();
    return this.#typed(name, type, this.#options.addresses.flatMap(addressData));
  }

  #service(name: string, type: number, labels: readonly string[]): Finding {
    const [namespace, service, ...rest] = labels;
    if (namespace === undefined) return this.#nothing();
    if (!this.#hasNamespace(namespace)) return this.#none();
    if (service === undefined) return this.#nothing();
    const known = this.#namespaces.get(namespace)?.get(service);
    if (known?.service === undefined) return this.#none();
    const found = known as Known & { readonly service: ServiceRecord };
    if (known.service.externalName !== '') return this.#external(name, rest, known.service);
    if (rest.length === 0) return this.#whole(name, type, found);
    const [first = '', second] = rest;
    if (rest.length === 1 && !first.startsWith('_'))
      return this.#endpoint(name, type, { known: found, hostname: first });
    // Who leaves the mark out names no port: any letter in its place would do otherwise.
    return rest.length > 2 || !first.startsWith('_') || second?.startsWith('_') === false
      ? this.#none()
      : this.#ports(name, type, { known: found, protocol: first.slice(1), port: second?.slice(1) });
  }

  #external(name: string, rest: readonly string[], { externalName }: ServiceRecord): Finding {
    if (rest.length > 0) return this.#none();
    const target = normalizeName(externalName);
    // The API takes labels of any length, of which a message has none.
    if (!isWireName(target)) return { ...this.#nothing(), rcode: RCODE.serverFailure, authorities: [] };
    return this.#found([this.#record(name, { type: TYPE.CNAME, target })]);
  }

  #whole(name: string, type: number, known: Known & { readonly service: ServiceRecord }): Finding {
    const { service } = known;
    // A headless Service without endpoints has no name either, as upstream's server answers.
    if (service.headless && !hasEndpoints(known)) return this.#none();
    if (!KEPT_TYPES.has(type)) return this.#nothing();
    return once(known, `${type}`, () => {
      if (type === TYPE.SRV) return this.#targets(name, known, () => true);
      const addresses = service.headless ? endpointsOf(known).map(({ address }) => address) : service.addresses;
      return this.#typed(name, type, [...new Set(addresses)].flatMap(addressData));
    });
  }

  #endpoint(
    name: string,
    type: number,
    { known, hostname }: { readonly known: Known; readonly hostname: string },
  ): Finding {
    const addresses = hostsOf(known).get(hostname);
    if (addresses === undefined) return this.#none();
    const make = (): Finding => this.#typed(name, type, addresses.flatMap(addressData));
    // Most have one address: those are not worth the room.
    return addresses.length > 1 && KEPT_TYPES.has(type) ? once(known, `${type} ${hostname}`, make) : make();
  }

  #ports(
    name: string,
    type: number,
    wanted: {
      readonly known: Known & { readonly service: ServiceRecord };
      readonly protocol: string;
      /** Undefined: `_tcp` alone, a name between others. */
      readonly port: string | undefined;
    },
  ): Finding {
    const { known, protocol, port } = wanted;
    const fits = (offered: PortRecord): boolean =>
      offered.protocol === protocol && (port === undefined || offered.name === port);
    if (!portsOf(known).some(fits)) return this.#none();
    if (port === undefined || (type !== TYPE.SRV && type !== TYPE.ANY)) return this.#nothing();
    return once(known, `_${port}._${protocol}`, () => this.#targets(name, known, fits));
  }

  /** SRV records of the ports that fit, and the addresses of their targets. */
  #targets(
    name: string,
    known: Known & { readonly service: ServiceRecord },
    fits: (port: PortRecord) => boolean,
  ): Finding {
    const base = this.#nameOf(known.service);
    const places = new Map<string, { port: number; target: string; addresses: readonly string[] }>();
    const add = (port: number, target: string, addresses: readonly string[]): void => {
      places.set(`${port} ${target}`, { port, target, addresses });
    };
    if (known.service.headless) {
      for (const { port, endpoint } of placesOf(known, fits)) {
        const host = hostnameOf(endpoint);
        // What stands for a pod by another sort of address may be longer than a label.
        if (host.length <= LABEL_BYTES_MAX) add(port, `${host}.${base}`, [endpoint.address]);
        if (places.size >= PLACES_MAX) break;
      }
    } else for (const { port } of known.service.ports.filter(fits)) add(port, base, known.service.addresses);
    if (places.size === 0) return this.#nothing();
    const weight = Math.max(1, Math.floor(SRV_WEIGHT_SUM / places.size));
    const answers = [...places.values()].map(({ port, target }) =>
      this.#record(name, { type: TYPE.SRV, priority: 0, weight, port, target }),
    );
    const hosts = new Map([...places.values()].map(({ target, addresses }) => [target, addresses]));
    const additionals = [...hosts].flatMap(([target, addresses]) =>
      addresses.flatMap(addressData).map((data) => this.#record(target, data)),
    );
    return { ...this.#found(answers), additionals };
  }

  /** `10-1-2-3.<namespace>.pod`: the address is in the name, whether or not a pod has it. */
  #pod(name: string, type: number, labels: readonly string[]): Finding {
    const [namespace, dashed, ...rest] = labels;
    if (namespace === undefined) return this.#nothing();
    if (!this.#hasNamespace(namespace)) return this.#none();
    if (dashed === undefined) return this.#nothing();
    const address = /^\d+-\d+-\d+-\d+$/.test(dashed) ? dashed.replaceAll('-', '.') : dashed.replaceAll('-', ':');
    const data = addressData(address);
    return rest.length > 0 || data.length === 0 ? this.#none() : this.#typed(name, type, data);
  }

  #typed(name: string, type: number, data: readonly RecordData[]): Finding {
    const wanted = data.filter((each) => type === TYPE.ANY || each.type === type);
    return wanted.length === 0 ? this.#nothing() : this.#found(wanted.map((each) => this.#record(name, each)));
  }

  #found(answers: readonly ResourceRecord[]): Finding {
    return { rcode: RCODE.noError, answers, authorities: [], additionals: [] };
  }

  /** The name exists, but has nothing of the type. */
  #nothing(): Finding {
    return { rcode: RCODE.noError, answers: [], authorities: [this.#soa()], additionals: [] };
  }

  #none(): Finding {
    return { rcode: RCODE.nameError, answers: [], authorities: [this.#soa()], additionals: [] };
  }

  #soa(): ResourceRecord {
    const domain = this.#domain;
    return {
      type: TYPE.SOA,
      name: domain,
      ttl: NEGATIVE_TTL,
      primary: `ns.dns.${domain}`,
      mailbox: `hostmaster.${domain}`,
      serial: this.#options.serial,
      ...SOA,
      minimum: NEGATIVE_TTL,
    };
  }

  #record(name: string, data: RecordData): ResourceRecord {
    return { ...data, name, ttl: this.#options.ttl };
  }

  #nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
    return `${name}.${namespace}.svc.${this.#domain}`;
  }

  #hasNamespace(name: string): boolean {
    return this.#toldNamespaces.has(name) || this.#namespaces.has(name);
  }

  #known(namespace: string, name: string): Known {
    let services = this.#namespaces.get(namespace);
    if (services === undefined) this.#namespaces.set(namespace, (services = new Map()));
    let known = services.get(name);
    if (known === undefined) services.set(name, (known = { service: undefined, slices: new Map(), made: undefined }));
    return known;
  }

  #drop(namespace: string, name: string, known: Known): void {
    if (known.service !== undefined || known.slices.size > 0) return;
    const services = this.#namespaces.get(namespace);
    services?.delete(name);
    if (services?.size === 0) this.#namespaces.delete(namespace);
  }

  #lead(address: string, source: string, way: Way): void {
    const reverse = reverseName(address);
    if (reverse === undefined) return;
    const sources = this.#reverse.get(reverse);
    if (sources === undefined) this.#reverse.set(reverse, new Map([[source, way]]));
    else sources.set(source, way);
  }

  #forget(address: string, source: string): void {
    const reverse = reverseName(address) ?? '';
    const sources = this.#reverse.get(reverse);
    sources?.delete(source);
    if (sources?.size === 0) this.#reverse.delete(reverse);
  }
}

/** By its hostname, or by its address with dashes. */
function hostnameOf({ hostname, address }: EndpointRecord): string {
  return hostname === '' ? address.replace(/[.:]/g, '-') : hostname;
}

function hasEndpoints({ slices }: Known): boolean {
  for (const { endpoints } of slices.values()) if (endpoints.length > 0) return true;
  return false;
}

/** Addresses by the endpoint's name, each once. */
function hostsOf(known: Known): ReadonlyMap<string, readonly string[]> {
  const made: Made = (known.made ??= { found: new Map(), records: 0 });
  if (made.hosts !== undefined) return made.hosts;
  const hosts = new Map<string, Set<string>>();
  for (const endpoint of endpointsOf(known)) {
    const name = hostnameOf(endpoint);
    let addresses = hosts.get(name);
    if (addresses === undefined) hosts.set(name, (addresses = new Set()));
    addresses.add(endpoint.address);
  }
  return (made.hosts = new Map([...hosts].map(([name, addresses]) => [name, [...addresses]])));
}

/** What was found before, as long as the Service and its slices stay as they are. */
function once(known: Known, key: string, make: () => Finding): Finding {
  const made: Made = (known.made ??= { found: new Map(), records: 0 });
  const kept = made.found.get(key);
  if (kept !== undefined) return kept;
  const finding = make();
  const records = finding.answers.length + finding.additionals.length;
  const endpoints = [...known.slices.values()].reduce((sum, slice) => sum + slice.endpoints.length, 0);
  if (made.records + records > KEPT_RECORDS_MAX.least + KEPT_RECORDS_MAX.perEndpoint * endpoints) {
    made.found.clear();
    made.records = 0;
  }
  made.found.set(key, finding);
  made.records += records;
  return finding;
}

/** Each port with each endpoint of its slice, one by one: a slice of one megabyte has millions. */
function* placesOf(
  { slices }: Known,
  fits: (port: PortRecord) => boolean,
): Generator<{ readonly port: number; readonly endpoint: EndpointRecord }> {
  for (const { ports, endpoints } of slices.values())
    for (const offered of ports)
      if (fits(offered)) for (const endpoint of endpoints) yield { port: offered.port, endpoint };
}

function endpointsOf({ slices }: Known): EndpointRecord[] {
  return [...slices.values()].flatMap(({ endpoints }) => endpoints);
}

function portsOf({ service, slices }: Known): readonly PortRecord[] {
  if (service?.headless !== true) return service?.ports ?? [];
  // Nobody answers at a port of a slice without endpoints: nothing has its name.
  return [...slices.values()].flatMap(({ ports, endpoints }) => (endpoints.length === 0 ? [] : ports));
}

function addressData(address: string): RecordData[] {
  const bytes = addressBytes(address);
  return bytes === undefined ? [] : [{ type: bytes.length === 4 ? TYPE.A : TYPE.AAAA, address: bytes }];
}
