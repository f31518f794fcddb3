import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressBytes } from '@binnacle/base';
import { ClusterZone } from './cluster-zone.ts';
import { RCODE, TYPE } from './records.ts';
import type { ResourceRecord } from './records.ts';
import { reverseName } from './reverse.ts';
import type { EndpointRecord, ServiceRecord, SliceRecord } from './services.ts';

const DOMAIN = 'cluster.local';

/** All names of a cluster, written down one by one as the specification lists them, with what each has. */
class NaiveZone {
  readonly #records = new Map<string, Set<string>>();
  readonly #ofServices = new Set<string>();

  constructor(services: readonly ServiceRecord[], slices: readonly SliceRecord[]) {
    this.#put('', `NS ns.dns.${DOMAIN}`);
    this.#put('', 'SOA');
    this.#put('dns-version', 'TXT 1.1.0');
    this.#exists('svc', 'pod', 'dns');
    for (const one of [...services, ...slices]) this.#exists(`${one.namespace}.svc`, `${one.namespace}.pod`);
    for (const service of services.toSorted((a, b) => Number(a.headless) - Number(b.headless))) {
      const own = slices.filter((slice) => slice.namespace === service.namespace && slice.service === service.name);
      this.#service(service, own);
    }
  }

  /** `NXDOMAIN`, or what the name has of a type, or all of it for ANY. */
  answer(name: string, type: keyof typeof TYPE): readonly string[] | 'NXDOMAIN' {
    const has = this.#records.get(name);
    if (has === undefined) return 'NXDOMAIN';
    const fits = [...has].filter((text) => type === 'ANY' || text.startsWith('CNAME ') || text.split(' ')[0] === type);
    return fits.toSorted();
  }

  #service(service: ServiceRecord, slices: readonly SliceRecord[]): void {
    const base = `${service.name}.${service.namespace}.svc`;
    if (service.externalName !== '') return this.#put(base, `CNAME ${service.externalName}`);
    const endpoints = slices.flatMap((slice) => slice.endpoints);
    const addresses = service.headless ? endpoints.map(({ address }) => address) : service.addresses;
    if (!service.headless || addresses.length > 0) this.#exists(base);
    for (const address of addresses) this.#put(base, dataOf(address));
    if (!service.headless) for (const address of addresses) this.#back(address, `${base}.${DOMAIN}`, true);
    else for (const one of endpoints) this.#back(one.address, `${nameOf(one)}.${base}.${DOMAIN}`, false);
    for (const endpoint of endpoints) this.#put(`${nameOf(endpoint)}.${base}`, dataOf(endpoint.address));
    const places = service.headless
      ? slices.flatMap(({ ports, endpoints: there }) =>
          ports.flatMap((port) => there.map((one) => ({ port, target: `${nameOf(one)}.${base}` }))),
        )
      : service.ports.map((port) => ({ port, target: base }));
    for (const { port, target } of places) {
      this.#put(base, `SRV ${port.port} ${target}.${DOMAIN}`);
      if (port.name === '') continue;
      const name = `_${port.name}._${port.protocol}.${base}`;
      this.#exists(`_${port.protocol}.${base}`);
      this.#put(name, `SRV ${port.port} ${target}.${DOMAIN}`);
    }
  }

  /** Addresses of Services come first: what slices say of them does not count. */
  #back(address: string, target: string, isService: boolean): void {
    const name = reverseName(address) ?? '';
    if (isService) this.#ofServices.add(name);
    else if (this.#ofServices.has(name)) return;
    const had = this.#records.get(name) ?? new Set();
    this.#records.set(name, had.add(`PTR ${target}`));
  }

  #exists(...above: readonly string[]): void {
    for (const text of above) {
      const name = absolute(text);
      if (!this.#records.has(name)) this.#records.set(name, new Set());
    }
  }

  #put(above: string, record: string): void {
    this.#exists(above);
    this.#records.get(absolute(above))?.add(record);
  }

  get names(): readonly string[] {
    return [...this.#records.keys()];
  }
}

const absolute = (above: string): string => (above === '' ? DOMAIN : `${above}.${DOMAIN}`);
const dataOf = (address: string): string =>
  `${address.includes(':') ? 'AAAA' : 'A'} ${addressBytes(address)?.join('.')}`;
const nameOf = ({ hostname, address }: EndpointRecord): string => hostname || address.replaceAll(/[.:]/g, '-');

function told(record: ResourceRecord): string {
  switch (record.type) {
    case TYPE.A:
    case TYPE.AAAA:
      return `${record.type === TYPE.A ? 'A' : 'AAAA'} ${record.address.join('.')}`;
    case TYPE.SRV:
      return `SRV ${record.port} ${record.target}`;
    case TYPE.TXT:
      return `TXT ${record.texts.join()}`;
    case TYPE.SOA:
      return 'SOA';
    default:
      return `${record.type === TYPE.PTR ? 'PTR' : record.type === TYPE.NS ? 'NS' : 'CNAME'} ${record.target}`;
  }
}

const namespace = fc.constantFrom('ns', 'other');
const port = fc.record({
  name: fc.constantFrom('http', 'dns'),
  protocol: fc.constantFrom('tcp', 'udp'),
  port: fc.constantFrom(53, 80),
});
const service: fc.Arbitrary<ServiceRecord> = fc
  .record({
    namespace,
    name: fc.constantFrom('web', 'db', 'web-2'),
    kind: fc.constantFrom('headless', 'plain', 'external'),
    addresses: fc.subarray(['10.96.0.1', '10.96.0.2', 'fd00::7'], { minLength: 1 }),
    ports: fc.array(port, { maxLength: 2 }),
  })
  .map(({ kind, addresses, ...rest }) => ({
    ...rest,
    headless: kind === 'headless',
    addresses: kind === 'plain' ? addresses : [],
    externalName: kind === 'external' ? 'example.com' : '',
  }));
const slice: fc.Arbitrary<SliceRecord> = fc.record({
  namespace,
  name: fc.constantFrom('one', 'two'),
  service: fc.constantFrom('web', 'db', 'web-2'),
  endpoints: fc.uniqueArray(
    fc.record({
      address: fc.constantFrom('10.1.0.1', '10.96.0.2', 'fd01::1'),
      hostname: fc.constantFrom('', 'a', 'b'),
    }),
    { maxLength: 3, selector: ({ address }) => address },
  ),
  ports: fc.array(port, { maxLength: 2 }),
});
const TYPES = ['A', 'AAAA', 'SRV', 'PTR', 'TXT', 'CNAME', 'ANY'] as const;

test('answers equal those of a zone that is written down name by name', () => {
  const unique = <T extends { readonly namespace: string; readonly name: string }>(one: fc.Arbitrary<T>) =>
    fc.uniqueArray(one, { maxLength: 5, selector: (item) => `${item.namespace}/${item.name}` });
  fc.assert(
    fc.property(unique(service), unique(slice), (services, slices) => {
      const zone = new ClusterZone({ domain: DOMAIN, ttl: 5, serial: 1, addresses: [] });
      for (const one of services) zone.setService(one);
      for (const one of slices) zone.setSlice(one);
      const naive = new NaiveZone(services, slices);
      const asked = new Set(naive.names.flatMap((name) => [name, `x.${name}`, name.replace(/^[^.]*/, '*')]));
      for (const name of asked)
        for (const type of TYPES) {
          const found = zone.find(name, TYPE[type]);
          const answer =
            found === undefined || found.rcode === RCODE.nameError ? 'NXDOMAIN' : found.answers.map(told).toSorted();
          const wanted = naive.answer(name, type);
          // To ANY a part of it is enough (RFC 8482), but not nothing.
          const part = type === 'ANY' && wanted !== 'NXDOMAIN' && answer.length > 0;
          const expected = part ? wanted.filter((text) => answer.includes(text)) : wanted;
          assert.deepEqual(answer, expected, `${name} ${type}`);
        }
    }),
    { seed: 36, numRuns: 1000 },
  );
});
