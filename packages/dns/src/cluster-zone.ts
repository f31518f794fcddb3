import { addressBytes } from '@binnacle/base';
import { isBelow, labelsAbove, normalizeName } from './names.ts';
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
  /** By type and what of the Service was asked for: of names that are there alone, and so bounded by what there is. */
  readonly found: Map<string, Finding>;
}

/** Types that there is something of, and that many ask for. */
const KEPT_TYPES: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.SRV, TYPE.ANY]);

/** The name that an address leads back to, as long as it does. */
interface Way {
  readonly name: string;
  readonly holds: () => boolean;
}

const ALWAYS = (): boolean => true;

/**
 * The names of a cluster (Kubernetes DNS-based service discovery 1.1), from Services and EndpointSlices. Holds what it
 * is told; every answer is made of it, once until it changes where it takes long.
 */
export class ClusterZone {
  readonly #options: ZoneOptions;
  readonly #domain: string;
  /** By namespace, then by Service. A namespace without any is not known. */
  readonly #namespaces = new Map<string, Map<string, Known>>();
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

  setService(service: ServiceRecord): void {
    this.removeService(service);
    const known = this.#known(service.namespace, service.name);
    known.service = service;
    known.made = undefined;
    const source = `service ${service.namespace}/${service.name}`;
    for (const address of service.addresses)
      this.#lead(address, source, { name: this.#nameOf(service), holds: ALWAYS });
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
      this.#lead(endpoint.address, `slice ${slice.namespace}/${slice.name}`, { name, holds });
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
    const back = [...(this.#reverse.get(name)?.values() ?? [])].filter(({ holds }) => holds());
    if (back.length === 0) return undefined;
    if (type !== TYPE.PTR && type !== TYPE.ANY) return this.#nothing();
    const targets = new Set(back.map((way) => way.name));
    return this.#found([...targets].map((target) => this.#record(name, { type: TYPE.PTR, target })));
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
    const services = this.#namespaces.get(namespace);
    if (services === undefined) return this.#none();
    if (service === undefined) return this.#nothing();
    const known = services.get(service);
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
    return this.#found([this.#record(name, { type: TYPE.CNAME, target: normalizeName(externalName) })]);
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
      for (const { ports, endpoints } of known.slices.values())
        for (const { port } of ports.filter(fits))
          for (const endpoint of endpoints) add(port, `${hostnameOf(endpoint)}.${base}`, [endpoint.address]);
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
    if (!this.#namespaces.has(namespace)) return this.#none();
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
  const made: Made = (known.made ??= { found: new Map() });
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
  const { found }: Made = (known.made ??= { found: new Map() });
  let finding = found.get(key);
  if (finding === undefined) found.set(key, (finding = make()));
  return finding;
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
