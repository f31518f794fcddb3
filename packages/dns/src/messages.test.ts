/** Messages on the wire, read and written by us and by an independent library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oracle from 'dns-packet';
import { HEADER_BYTES, readName, readQuery } from './query.ts';
import type { Query } from './query.ts';
import { RCODE, TYPE } from './records.ts';
import type { ResourceRecord } from './records.ts';
import { encodeReply, TCP_BYTES_MAX, udpLimit } from './reply.ts';
import { encodeQuery } from './testing/encode-query.ts';
import { answerMalformed } from './testing/malformed.ts';

function read(bytes: Uint8Array): Query {
  const query = readQuery(bytes);
  assert.ok(query?.kind === 'query');
  return query;
}

const RECORDS: readonly ResourceRecord[] = [
  { type: TYPE.A, name: 'web.ns.svc.cluster.local', ttl: 30, address: Uint8Array.of(10, 0, 0, 1) },
  { type: TYPE.AAAA, name: 'other.cluster.local', ttl: 1, address: new Uint8Array(16).fill(1) },
  {
    type: TYPE.SRV,
    name: '_http._tcp.web.ns.svc.cluster.local',
    ttl: 5,
    priority: 1,
    weight: 2,
    port: 3,
    target: 'web.ns.svc.cluster.local',
  },
  { type: TYPE.CNAME, name: 'a.b', ttl: 0, target: 'web.ns.svc.cluster.local' },
  { type: TYPE.TXT, name: 'a.b', ttl: 0, texts: ['1.1.0', ''] },
  {
    type: TYPE.SOA,
    name: 'b',
    ttl: 4_294_967_295,
    primary: 'p.b',
    mailbox: 'm.b',
    serial: 1,
    refresh: 2,
    retry: 3,
    expire: 4,
    minimum: 5,
  },
];

test('a query as another library writes it', () => {
  const query = read(encodeQuery('Web.NS.svc.cluster.local', 'AAAA', { edns: 4096, id: 65_535 }));
  assert.deepEqual(
    [query.id, query.name, query.type, query.recursionDesired, query.edns?.payload],
    [65_535, 'web.ns.svc.cluster.local', TYPE.AAAA, true, 4096],
  );
});

test('a reply as another library reads it, the question repeated letter by letter', () => {
  const query = read(encodeQuery('WEB.ns.svc.cluster.local', 'A'));
  const bytes = encodeReply(
    query,
    { rcode: RCODE.noError, answers: RECORDS, authorities: [], additionals: [], authoritative: true },
    TCP_BYTES_MAX,
  );
  const packet = oracle.decode(Buffer.from(bytes));
  assert.equal(packet.questions?.[0]?.name, 'WEB.ns.svc.cluster.local');
  const [a, aaaa, srv, cname, txt, soa] = (packet.answers ?? []) as { name: string; ttl: number; data: unknown }[];
  assert.deepEqual([a?.name.toLowerCase(), a?.data], ['web.ns.svc.cluster.local', '10.0.0.1']);
  assert.equal(aaaa?.data, '101:101:101:101:101:101:101:101');
  assert.deepEqual(srv?.data, { priority: 1, weight: 2, port: 3, target: 'web.ns.svc.cluster.local' });
  assert.equal(String(cname?.data).toLowerCase(), 'web.ns.svc.cluster.local');
  assert.deepEqual([txt?.data].flat().map(String), ['1.1.0', '']);
  assert.deepEqual(
    [soa?.ttl, soa?.data],
    [4_294_967_295, { mname: 'p.b', rname: 'm.b', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 }],
  );
  assert.ok(bytes.length < 260, `names are compressed: ${bytes.length} bytes`);
});

test('what does not fit is cut between records, and said', () => {
  const many = Array.from({ length: 100 }, (_, n): ResourceRecord => ({
    type: TYPE.A,
    name: 'web',
    ttl: 1,
    address: Uint8Array.of(10, 0, 0, n),
  }));
  for (const [edns, bound] of [
    [undefined, 512],
    [100, 512],
    [900, 900],
    [65_000, 1232],
  ] as const) {
    const query = read(encodeQuery('web', 'A', { edns }));
    assert.equal(udpLimit(query), bound);
    const bytes = encodeReply(
      query,
      { rcode: 0, answers: many, authorities: [], additionals: [], authoritative: true },
      udpLimit(query),
    );
    const packet = oracle.decode(Buffer.from(bytes)) as oracle.Packet & { flag_tc: boolean };
    assert.ok(bytes.length <= bound && bytes.length > bound - 32);
    const whole = (packet.answers ?? []).length === 100;
    assert.equal(packet.flag_tc, !whole);
    assert.equal(packet.additionals?.length, edns === undefined ? 0 : 1);
  }
});

const BAD: readonly (readonly [name: string, hex: string, rcode: number | undefined])[] = [
  ['nothing', '', undefined],
  ['half a header', '000701', undefined],
  ['a reply', '000781000001000000000000' + '0161000001' + '0001', undefined],
  ['no question', '000701000000000000000000', RCODE.formatError],
  ['two questions', '000701000002000000000000' + '01610000010001'.repeat(2), RCODE.formatError],
  ['a name that is cut off', '000701000001000000000000' + '0561', RCODE.formatError],
  ['a name that points at itself', '000701000001000000000000' + 'c00c00010001', RCODE.formatError],
  ['a name that points forward', '000701000001000000000000' + 'c01000010001', RCODE.formatError],
  ['a label of a reserved kind', '000701000001000000000000' + '4161000001' + '0001', RCODE.formatError],
  ['an update', '000728000001000000000000' + '01610000060001', RCODE.notImplemented],
  ['more records than there are', '00070100000100000000ffff' + '01610000010001', RCODE.formatError],
  ['two OPTs', '000701000001000000000002' + '01610000010001' + '0000290200000000000000'.repeat(2), RCODE.formatError],
];

test('bad messages get an error that says which, or nothing', () => {
  for (const [name, hex, rcode] of BAD) {
    const query = readQuery(Buffer.from(hex, 'hex'));
    assert.equal(query?.kind === 'bad' ? query.rcode : query, rcode, name);
  }
});

test('10,000 malformed messages: no throw, no answer without the id of its question', () => answerMalformed(5, 10_000));

test('a chain of pointers is followed as far as a name can be long', () => {
  const chain = (pointers: number): Uint8Array => {
    const bytes = new Uint8Array(HEADER_BYTES + 1 + 2 * pointers);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < pointers; at++) {
      const to = at === 0 ? HEADER_BYTES : HEADER_BYTES + 1 + 2 * (at - 1);
      view.setUint16(HEADER_BYTES + 1 + 2 * at, 0xc000 | to);
    }
    return bytes;
  };
  assert.equal(readName(chain(126), HEADER_BYTES + 1 + 2 * 125)?.text, '');
  assert.equal(readName(chain(127), HEADER_BYTES + 1 + 2 * 126), undefined);
});

test('a question with many records behind it is none', () => {
  const bytes = Buffer.concat([encodeQuery('a.b', 'A'), new Uint8Array(9 * 11)]);
  bytes.writeUInt16BE(8, 10);
  assert.equal(readQuery(bytes)?.kind, 'query');
  bytes.writeUInt16BE(9, 10);
  assert.equal(readQuery(bytes)?.kind, 'bad');
});

test('a reply costs what fits in it, begins where it is told, and is cut behind whole records', () => {
  let looks = 0;
  const all = Array.from({ length: 50_000 }, (_, n): ResourceRecord => {
    const address = Uint8Array.of(10, n >> 16, (n >> 8) & 255, n & 255);
    return { type: TYPE.A, name: 'a.b', ttl: 5, address };
  });
  const answers = new Proxy(all, {
    get: (target, at, self) => {
      if (typeof at === 'string' && /^\d/.test(at)) looks++;
      return Reflect.get(target, at, self) as unknown;
    },
  });
  const query = read(encodeQuery('a.b', 'A', { edns: 1232 }));
  const found = { rcode: RCODE.noError, answers, authorities: [], additionals: answers, authoritative: true };
  const told = oracle.decode(Buffer.from(encodeReply(query, { ...found, first: 49_999 }, udpLimit(query))));
  const addresses = (told.answers ?? []).map((one) => (one as { data: unknown }).data);
  assert.deepEqual([told.flag_tc, addresses.slice(0, 3)], [true, ['10.0.195.79', '10.0.0.0', '10.0.0.1']]);
  assert.equal(looks, addresses.length + 1);
  looks = 0;
  encodeReply(query, { ...found, answers: all.slice(0, 2) }, udpLimit(query));
  assert.ok(looks < 100, `${looks} additional ones`);
});
