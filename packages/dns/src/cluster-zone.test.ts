import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { ClusterZone } from './cluster-zone.ts';
import { RCODE, TYPE } from './records.ts';
import type { Finding, ResourceRecord } from './records.ts';
import type { EndpointRecord, ServiceRecord, SliceRecord } from './services.ts';

const HTTP = { name: 'http', protocol: 'tcp', port: 80 };
const DNS = { name: 'dns', protocol: 'udp', port: 53 };

function zone(): ClusterZone {
  return new ClusterZone({ domain: 'Cluster.Local.', ttl: 30, serial: 7, addresses: ['10.96.0.10'] });
}

function service(name: string, of: Partial<ServiceRecord> = {}): ServiceRecord {
  return { namespace: 'ns', name, headless: false, addresses: [], externalName: '', ports: [HTTP], ...of };
}

function slice(of: Partial<SliceRecord> & Pick<SliceRecord, 'service'>): SliceRecord {
  return { namespace: 'ns', name: `${of.service}-1`, endpoints: [], ports: [{ ...HTTP, port: 8080 }], ...of };
}

function text(record: ResourceRecord): string {
  switch (record.type) {
    case TYPE.A:
      return `A ${record.address.join('.')}`;
    case TYPE.AAAA:
      return `AAAA ${Buffer.from(record.address).toString('hex')}`;
    case TYPE.SRV:
      return `SRV ${record.priority} ${record.weight} ${record.port} ${record.target}`;
    case TYPE.TXT:
      return `TXT ${record.texts.join('|')}`;
    case TYPE.SOA:
      return `SOA ${record.primary} ${record.serial}`;
    default:
      return `${record.type === TYPE.PTR ? 'PTR' : record.type === TYPE.NS ? 'NS' : 'CNAME'} ${record.target}`;
  }
}

function show(found: Finding | undefined): readonly string[] | string | undefined {
  if (found === undefined) return undefined;
  if (found.rcode === RCODE.nameError) return 'NXDOMAIN';
  return found.answers.length === 0 ? 'nothing' : found.answers.map(text);
}

function filled(): ClusterZone {
  const made = zone();
  made.setService(service('web', { addresses: ['10.96.0.7', 'fd00::7'] }));
  made.setSlice(slice({ service: 'web', endpoints: [{ address: '10.1.0.9', hostname: '' }] }));
  made.setService(service('db', { headless: true, ports: [HTTP, DNS] }));
  made.setSlice(
    slice({
      service: 'db',
      endpoints: [
        { address: '10.1.0.1', hostname: 'db-0' },
        { address: '10.1.0.2', hostname: '' },
      ],
    }),
  );
  made.setService(service('empty', { headless: true }));
  made.setService(service('out', { externalName: 'Example.COM.' }));
  made.setNamespace('bare');
  return made;
}

const ROWS: readonly (readonly [name: string, type: number, wanted: readonly string[] | string | undefined])[] = [
  ['web.ns.svc.cluster.local', TYPE.A, ['A 10.96.0.7']],
  ['web.ns.svc.cluster.local', TYPE.AAAA, ['AAAA fd000000000000000000000000000007']],
  ['web.ns.svc.cluster.local', TYPE.TXT, 'nothing'],
  ['_http._tcp.web.ns.svc.cluster.local', TYPE.SRV, ['SRV 0 100 80 web.ns.svc.cluster.local']],
  ['_http._tcp.web.ns.svc.cluster.local', TYPE.A, 'nothing'],
  ['_tcp.web.ns.svc.cluster.local', TYPE.SRV, 'nothing'],
  ['_http._udp.web.ns.svc.cluster.local', TYPE.SRV, 'NXDOMAIN'],
  ['_other._tcp.web.ns.svc.cluster.local', TYPE.SRV, 'NXDOMAIN'],
  ['xhttp._tcp.web.ns.svc.cluster.local', TYPE.SRV, 'NXDOMAIN'],
  ['xhttp._tcp.web.ns.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['x._http._tcp.web.ns.svc.cluster.local', TYPE.SRV, 'NXDOMAIN'],
  ['10-1-0-9.web.ns.svc.cluster.local', TYPE.A, ['A 10.1.0.9']],
  ['db.ns.svc.cluster.local', TYPE.A, ['A 10.1.0.1', 'A 10.1.0.2']],
  ['db-0.db.ns.svc.cluster.local', TYPE.A, ['A 10.1.0.1']],
  ['10-1-0-2.db.ns.svc.cluster.local', TYPE.A, ['A 10.1.0.2']],
  ['10-1-0-1.db.ns.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  [
    '_http._tcp.db.ns.svc.cluster.local',
    TYPE.SRV,
    ['SRV 0 50 8080 db-0.db.ns.svc.cluster.local', 'SRV 0 50 8080 10-1-0-2.db.ns.svc.cluster.local'],
  ],
  ['empty.ns.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['out.ns.svc.cluster.local', TYPE.A, ['CNAME example.com']],
  ['out.ns.svc.cluster.local', TYPE.CNAME, ['CNAME example.com']],
  ['none.ns.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['web.other.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['*.ns.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['ns.svc.cluster.local', TYPE.A, 'nothing'],
  ['other.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['bare.svc.cluster.local', TYPE.A, 'nothing'],
  ['web.bare.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['svc.cluster.local', TYPE.A, 'nothing'],
  ['pod.cluster.local', TYPE.A, 'nothing'],
  ['10-9-8-7.ns.pod.cluster.local', TYPE.A, ['A 10.9.8.7']],
  ['fd00--5.ns.pod.cluster.local', TYPE.AAAA, ['AAAA fd000000000000000000000000000005']],
  ['10-9-8-7.bare.pod.cluster.local', TYPE.A, ['A 10.9.8.7']],
  ['10-9-8-7.other.pod.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['10-9-8-700.ns.pod.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['cluster.local', TYPE.SOA, ['SOA ns.dns.cluster.local 7']],
  ['cluster.local', TYPE.NS, ['NS ns.dns.cluster.local']],
  ['cluster.local', TYPE.A, 'nothing'],
  ['ns.dns.cluster.local', TYPE.A, ['A 10.96.0.10']],
  ['dns-version.cluster.local', TYPE.TXT, ['TXT 1.1.0']],
  ['nonsense.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['7.0.96.10.in-addr.arpa', TYPE.PTR, ['PTR web.ns.svc.cluster.local']],
  ['1.0.1.10.in-addr.arpa', TYPE.PTR, ['PTR db-0.db.ns.svc.cluster.local']],
  ['2.0.1.10.in-addr.arpa', TYPE.PTR, ['PTR 10-1-0-2.db.ns.svc.cluster.local']],
  ['9.0.1.10.in-addr.arpa', TYPE.PTR, undefined],
  ['7.0.96.10.in-addr.arpa', TYPE.A, 'nothing'],
  ['8.8.8.8.in-addr.arpa', TYPE.PTR, undefined],
  [
    '7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa',
    TYPE.PTR,
    ['PTR web.ns.svc.cluster.local'],
  ],
  ['example.com', TYPE.A, undefined],
  ['notcluster.local', TYPE.A, undefined],
  ['constructor.ns.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
  ['web.__proto__.svc.cluster.local', TYPE.A, 'NXDOMAIN'],
];

test('names as the specification has them', () => {
  const made = filled();
  for (const [name, type, wanted] of ROWS) assert.deepEqual(show(made.find(name, type)), wanted, `${name} ${type}`);
});

test('a no comes with the SOA of the zone, an SRV with the addresses of its targets', () => {
  const made = filled();
  assert.deepEqual(made.find('none.ns.svc.cluster.local', TYPE.A)?.authorities.map(text), [
    'SOA ns.dns.cluster.local 7',
  ]);
  assert.deepEqual(made.find('_http._tcp.db.ns.svc.cluster.local', TYPE.SRV)?.additionals.map(text), [
    'A 10.1.0.1',
    'A 10.1.0.2',
  ]);
});

test('what goes away leaves nothing', () => {
  const made = filled();
  for (const name of ['web', 'db', 'empty', 'out']) made.removeService({ namespace: 'ns', name });
  assert.equal(show(made.find('web.ns.svc.cluster.local', TYPE.A)), 'NXDOMAIN');
  assert.equal(made.find('1.0.1.10.in-addr.arpa', TYPE.PTR), undefined, 'nor has it a name to lead back to');
  for (const name of ['web', 'db']) made.removeSlice({ namespace: 'ns', service: name, name: `${name}-1` });
  assert.equal(show(made.find('ns.svc.cluster.local', TYPE.A)), 'NXDOMAIN', 'the namespace is not known any more');
  assert.equal(made.find('1.0.1.10.in-addr.arpa', TYPE.PTR), undefined);
});

test('after any order of changes, the answers are those of what is there', () => {
  const random = createSeededRandom(11);
  const pick = <T>(from: readonly T[]): T => from[randomBelow(random, from.length)] as T;
  const made = zone();
  const services = new Map<string, ServiceRecord>();
  const slices = new Map<string, SliceRecord>();
  const hosts: readonly EndpointRecord[] = [1, 2, 3, 4].map((n) => ({
    address: `10.1.0.${n}`,
    hostname: n % 2 === 0 ? `h${n}` : '',
  }));
  for (let step = 0; step < 3000; step++) {
    const name = pick(['a', 'b', 'c']);
    const part = slice({
      service: name,
      name: `${name}-${pick(['1', '2'])}`,
      endpoints: hosts.filter(() => pick([true, false])),
    });
    switch (pick(['set', 'remove', 'slice', 'slice', 'unslice'] as const)) {
      case 'set': {
        const record = service(name, pick([{ headless: true }, { addresses: [`10.96.0.${randomBelow(random, 4)}`] }]));
        services.set(name, record);
        made.setService(record);
        break;
      }
      case 'remove':
        services.delete(name);
        made.removeService({ namespace: 'ns', name });
        break;
      case 'slice':
        slices.set(part.name, part);
        made.setSlice(part);
        break;
      case 'unslice':
        slices.delete(part.name);
        made.removeSlice(part);
    }
    const known = services.get(name);
    const endpoints = [...slices.values()].filter((each) => each.service === name).flatMap((each) => each.endpoints);
    const addresses =
      known?.headless === true ? [...new Set(endpoints.map(({ address }) => address))] : (known?.addresses ?? []);
    const wanted =
      known === undefined || addresses.length === 0 ? 'NXDOMAIN' : addresses.map((address) => `A ${address}`);
    const found = show(made.find(`${name}.ns.svc.cluster.local`, TYPE.A));
    assert.deepEqual(
      typeof found === 'string' ? found : [...(found ?? [])].sort(),
      typeof wanted === 'string' ? wanted : [...wanted].sort(),
      `step ${step}`,
    );
  }
});

/** So many endpoints, and how often they were looked at. */
function counted(count: number) {
  const looks = { at: 0 };
  const endpoints = Array.from({ length: count }, (_, n): EndpointRecord => ({
    get address() {
      looks.at++;
      return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    },
    hostname: n < 10 ? 'shared' : '',
  }));
  return { looks, endpoints };
}

test('thousands of endpoints are gone through once, until their Service or a slice of it changes', () => {
  const made = zone();
  const { looks, endpoints } = counted(5000);
  made.setService(service('many', { headless: true }));
  made.setService(service('other', { headless: true }));
  made.setSlice(slice({ service: 'many', endpoints }));
  const base = 'many.ns.svc.cluster.local';
  const ask = (): readonly (number | undefined)[] =>
    [
      made.find(base, TYPE.A),
      made.find(base, TYPE.SRV),
      made.find(base, TYPE.ANY),
      made.find(`shared.${base}`, TYPE.A),
      made.find(`10-0-19-135.${base}`, TYPE.A),
      made.find(`_http._tcp.${base}`, TYPE.SRV),
      made.find(`nobody.${base}`, TYPE.A),
      made.find(base, TYPE.TXT),
    ].map((found) => found?.answers.length);
  const first = ask();
  assert.deepEqual(first, [5000, 4991, 5000, 10, 1, 4991, 0, 0]);
  const before = looks.at;
  made.setSlice(slice({ service: 'other', endpoints: [{ address: '10.1.0.1', hostname: '' }] }));
  for (let round = 0; round < 100; round++) assert.deepEqual(ask(), first);
  assert.ok(looks.at - before <= 100, `${looks.at - before} looks`);
  made.setSlice(slice({ service: 'many', name: 'many-2', endpoints: [{ address: '10.9.0.1', hostname: 'shared' }] }));
  assert.deepEqual(ask(), [5001, 4991, 5001, 11, 1, 4991, 0, 0]);
  made.setService(service('many', { addresses: ['10.96.0.9'] }));
  assert.deepEqual(ask(), [1, 1, 1, 11, 1, 1, 0, 0]);
  made.removeSlice({ namespace: 'ns', service: 'many', name: 'many-1' });
  made.removeSlice({ namespace: 'ns', service: 'many', name: 'many-2' });
  made.setService(service('many', { headless: true }));
  assert.deepEqual(ask(), [0, 0, 0, 0, 0, 0, 0, 0]);
});

test('an address of a Service leads back to it alone, whatever slices say of it', () => {
  const made = filled();
  made.setService(service('evil', { namespace: 'tenant', headless: true }));
  const names = (of: string): SliceRecord =>
    slice({ namespace: 'tenant', service: 'evil', name: of, endpoints: [{ address: '10.96.0.7', hostname: of }] });
  made.setSlice(names('a'));
  assert.deepEqual(show(made.find('7.0.96.10.in-addr.arpa', TYPE.PTR)), ['PTR web.ns.svc.cluster.local']);
  made.removeService(service('web'));
  for (let at = 0; at < 1000; at++) made.setSlice(names(`s${at}`));
  const back = made.find('7.0.96.10.in-addr.arpa', TYPE.PTR)?.answers ?? [];
  assert.ok(back.length > 1 && back.length < 100, `${back.length}`);
});

test('a name that no message has room for is not said', () => {
  const made = zone();
  made.setService(service('far', { externalName: `${'a'.repeat(64)}.example` }));
  assert.deepEqual(
    [made.find('far.ns.svc.cluster.local', TYPE.CNAME)].map((found) => [found?.rcode, found?.answers.length]),
    [[RCODE.serverFailure, 0]],
  );
  made.setService(service('named', { headless: true }));
  const endpoints = [`${'b'.repeat(70)}.example`, '10.1.0.1'].map((address) => ({ address, hostname: '' }));
  made.setSlice(slice({ service: 'named', endpoints }));
  assert.deepEqual(show(made.find('_http._tcp.named.ns.svc.cluster.local', TYPE.SRV)), [
    'SRV 0 100 8080 10-1-0-1.named.ns.svc.cluster.local',
  ]);
});

test('thousands of ports of thousands of endpoints take no more than a message has room for', () => {
  const made = zone();
  made.setService(service('many', { headless: true }));
  const endpoints = Array.from({ length: 1000 }, (_, at) => ({
    address: `10.1.${at >> 8}.${at & 255}`,
    hostname: '',
  }));
  const ports = Array.from({ length: 20_000 }, (_, at) => ({ name: `p${at}`, protocol: 'tcp', port: at + 1 }));
  made.setSlice(slice({ service: 'many', endpoints, ports }));
  assert.ok((made.find('many.ns.svc.cluster.local', TYPE.SRV)?.answers.length ?? 0) <= 10_000);
  const [first] = [made.find('_p0._tcp.many.ns.svc.cluster.local', TYPE.SRV)];
  assert.equal(first?.answers.length, 1000);
  assert.equal(made.find('_p0._tcp.many.ns.svc.cluster.local', TYPE.SRV), first, 'kept');
  for (let at = 1; at < 20; at++) made.find(`_p${at}._tcp.many.ns.svc.cluster.local`, TYPE.SRV);
  assert.notEqual(made.find('_p0._tcp.many.ns.svc.cluster.local', TYPE.SRV), first, 'not all of them are');
});
