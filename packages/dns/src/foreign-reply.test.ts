/** What other servers say, written by an independent library and read by us. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as oracle from 'dns-packet';
import { answers, readForeignAnswers, readForeignReply, repeatReply } from './foreign-reply.ts';
import { HEADER_BYTES, readQuery, readRecord } from './query.ts';
import type { Query } from './query.ts';
import { OTHER, TYPE } from './records.ts';
import { encodeQuery } from './testing/encode-query.ts';

interface Asked {
  readonly name?: string;
  readonly type?: 'A' | 'AAAA';
  readonly id?: number;
  readonly edns?: boolean;
  readonly flags?: number;
}

const OPT: oracle.OptAnswer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  flags: 0,
  ednsVersion: 0,
  extendedRcode: 0,
  flag_do: false,
  options: [],
};

function ask({ name = 'example.com', type = 'A', id, edns = false, flags }: Asked = {}): Query {
  const query = readQuery(encodeQuery(name, type, { id, flags, edns: edns ? 1232 : undefined }));
  assert(query?.kind === 'query');
  return query;
}

interface Said {
  readonly name?: string;
  readonly id?: number;
  readonly flags?: number;
  readonly questions?: readonly oracle.Question[];
  readonly answers?: readonly oracle.Answer[];
  readonly authorities?: readonly oracle.Answer[];
  readonly additionals?: readonly oracle.Answer[];
}

function say({ name = 'example.com', id = 7, flags = 0, ...more }: Said = {}): Uint8Array {
  const questions = more.questions ?? [{ name, type: 'A', class: 'IN' }];
  return new Uint8Array(
    oracle.encode({
      type: 'response',
      id,
      flags,
      questions: [...questions],
      answers: [...(more.answers ?? [])],
      authorities: [...(more.authorities ?? [])],
      additionals: [...(more.additionals ?? [])],
    }),
  );
}

const a = (data: string, ttl = 60, name = 'example.com'): oracle.Answer => ({ type: 'A', name, ttl, data });
const SOA: oracle.Answer = {
  type: 'SOA',
  name: 'com',
  ttl: 900,
  data: { mname: 'ns', rname: 'host', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 900 },
};
const BRIEF: oracle.Answer = { ...SOA, data: { ...SOA.data, minimum: 5 } };
const ALIAS: oracle.Answer = { type: 'CNAME', name: 'example.com', ttl: 300, data: 'b.example' };
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

describe('whether bytes answer a question', () => {
  const whole = say({ answers: [a('192.0.2.1')] });
  const asQuery = whole.slice();
  asQuery[2] = (asQuery[2] ?? 0) & 0x7f;
  const rows: readonly (readonly [name: string, bytes: Uint8Array, does: boolean])[] = [
    ['its answer', whole, true],
    ['in other letters', say({ name: 'EXAMPLE.Com' }), true],
    ['another id', say({ id: 8 }), false],
    ['another name', say({ name: 'example.net' }), false],
    ['a name below', say({ name: 'a.example.com' }), false],
    ['another type', say({ questions: [{ name: 'example.com', type: 'AAAA', class: 'IN' }] }), false],
    ['another class', say({ questions: [{ name: 'example.com', type: 'A', class: 'CH' }] }), false],
    ['no question', say({ questions: [] }), false],
    [
      'two questions',
      say({
        questions: [
          { name: 'example.com', type: 'A', class: 'IN' },
          { name: 'b', type: 'A', class: 'IN' },
        ],
      }),
      false,
    ],
    ['a question', asQuery, false],
    ['less than a header', whole.slice(0, HEADER_BYTES - 1), false],
    ['a header alone', whole.slice(0, HEADER_BYTES), false],
    ['a question that is cut', whole.slice(0, HEADER_BYTES + 15), false],
    ['nothing', new Uint8Array(), false],
  ];
  for (const [name, bytes, does] of rows) test(name, () => assert.equal(answers(bytes, ask(), 7), does));
});

describe('what another server said', () => {
  const read = (said: Said) => readForeignReply(say(said), ask());
  const rows: readonly (readonly [name: string, said: Said, life: number, lives: number])[] = [
    ['as long as its shortest record', { answers: [a('192.0.2.1', 60), a('192.0.2.2', 20)] }, 20, 2],
    ['additional records count too', { answers: [a('192.0.2.1', 60)], additionals: [a('192.0.2.9', 10, 'ns')] }, 10, 2],
    ['its extensions do not', { answers: [a('192.0.2.1', 60)], additionals: [OPT] }, 60, 1],
    ['no record, no life', {}, 0, 0],
    ['no such name, for a while', { flags: NAME_ERROR, authorities: [SOA] }, 30, 1],
    ['nothing of that type, for a while', { authorities: [SOA] }, 30, 1],
    ['no such name, for as long as its zone says', { flags: NAME_ERROR, authorities: [BRIEF] }, 5, 1],
    ['an alias of nothing, for as long as its zone says', { answers: [ALIAS], authorities: [BRIEF] }, 5, 2],
    ['no such name, nobody knows how long', { flags: NAME_ERROR }, 0, 0],
    ['a failure is not kept', { flags: SERVER_FAILURE, answers: [a('192.0.2.1', 60)] }, 0, 1],
    ['a life of nothing', { answers: [a('192.0.2.1', 0)] }, 0, 1],
  ];
  for (const [name, said, life, lives] of rows) {
    test(name, () => {
      const reply = read(said);
      assert.deepEqual([reply?.life, reply?.ttlAt.length], [life, lives]);
    });
  }

  test('goes without its extensions and what follows them', () => {
    const reply = read({
      answers: [a('192.0.2.1')],
      additionals: [a('192.0.2.9', 10, 'ns'), OPT, a('192.0.2.8', 1, 'x')],
    });
    assert(reply !== undefined);
    const { answers: first = [], additionals = [] } = oracle.decode(Buffer.from(reply.bytes));
    assert.deepEqual([first.length, additionals.map(({ name }) => name), reply.life], [1, ['ns'], 10]);
  });

  test('is nothing where a record is cut, at whatever place', () => {
    const bytes = say({ answers: [a('192.0.2.1')] });
    const [start, end] = [HEADER_BYTES + ask().question.length, bytes.length];
    for (let at = start; at < end; at++)
      assert.equal(readForeignReply(bytes.slice(0, at), ask()), undefined, `cut at ${at}`);
  });

  test('is nothing where extensions stand among other records', () => {
    for (const place of [{ answers: [a('192.0.2.1'), OPT] }, { answers: [a('192.0.2.1')], authorities: [OPT] }])
      assert.equal(read(place), undefined);
  });

  test('more records than there are make nothing', () => {
    const bytes = say({ answers: [a('192.0.2.1')] });
    new DataView(bytes.buffer).setUint16(6, 0xffff);
    assert.equal(readForeignReply(bytes, ask()), undefined);
  });
});

describe('the same answer for another query', () => {
  const reply = readForeignReply(
    say({ answers: [a('192.0.2.1', 60), a('192.0.2.2', 5)], flags: oracle.AUTHENTIC_DATA }),
    ask(),
  );
  assert(reply !== undefined);
  const repeat = (asked: Asked, options: Parameters<typeof repeatReply>[2]): oracle.DecodedPacket =>
    oracle.decode(Buffer.from(repeatReply(reply, ask(asked), options)));
  const lives = ({ answers: all = [] }: oracle.DecodedPacket): unknown[] =>
    all.map((one) => (one as { ttl?: number }).ttl);

  test('has its id, its spelling, and what is left of the lives', () => {
    const said = repeat({ id: 99, name: 'eXample.COM' }, { age: 10, limit: 512 });
    assert.deepEqual(
      [said.id, said.questions?.[0]?.name, said.type, lives(said)],
      [99, 'eXample.COM', 'response', [50, 0]],
    );
    assert.deepEqual([said.flag_ra, said.flag_rd, said.flag_ad, said.flag_tc], [true, true, false, false]);
  });
  test('has one life for all where that is said', () =>
    assert.deepEqual(lives(repeat({}, { age: 10, limit: 512, ttl: 3 })), [3, 3]));
  test('says that it was not asked to ask others', () =>
    assert.equal(repeat({ flags: 0 }, { age: 0, limit: 512 }).flag_rd, false));
  test('has extensions for who knows them', () => {
    const said = repeat({ edns: true }, { age: 0, limit: 512 });
    assert.deepEqual([said.additionals?.map(({ type }) => type), said.answers?.length], [['OPT'], 2]);
    assert.deepEqual(repeat({}, { age: 0, limit: 512 }).additionals, []);
  });

  const size = reply.bytes.length;
  for (const [name, edns, limit, cut] of [
    ['just fits', false, size, false],
    ['does not fit by a byte', false, size - 1, true],
    ['just fits with its extensions', true, size + 11, false],
    ['does not fit with its extensions', true, size + 10, true],
  ] as const) {
    test(`what ${name}`, () => {
      const said = repeat({ edns }, { age: 0, limit });
      assert.deepEqual(
        [said.flag_tc, said.answers?.length, said.additionals?.length],
        [cut, cut ? 0 : 2, edns ? 1 : 0],
      );
      assert.equal(said.questions?.length, 1);
    });
  }

  test('leaves what is kept as it is', () => {
    const before = reply.bytes.slice();
    repeat({ id: 5 }, { age: 30, limit: 512 });
    assert.deepEqual(reply.bytes, before);
  });
});

describe("another server's answers as records", () => {
  const read = (said: Said) =>
    readForeignAnswers(readForeignReply(say(said), ask()) ?? assert.fail('not read'), { age: 0 });

  test('in their order', () => {
    const found = read({
      answers: [
        { type: 'CNAME', name: 'example.com', ttl: 9, data: 'Other.Example.Net' },
        a('192.0.2.1', 60, 'other.example.net'),
        { type: 'TXT', name: 'other.example.net', ttl: 1, data: 'x' },
        { type: 'AAAA', name: 'other.example.net', ttl: 5, data: '2001:db8::1' },
      ],
    });
    assert.deepEqual(
      found.map(({ name, ttl, type }) => [name, ttl, type]),
      [
        ['example.com', 9, TYPE.CNAME],
        ['other.example.net', 60, TYPE.A],
        ['other.example.net', 1, OTHER],
        ['other.example.net', 5, TYPE.AAAA],
      ],
    );
    const [alias, address] = found;
    assert.deepEqual(
      [alias?.type === TYPE.CNAME && alias.target, address?.type === TYPE.A && [...address.address]],
      ['other.example.net', [192, 0, 2, 1]],
    );
  });
  test('none', () => assert.deepEqual(read({ authorities: [SOA], additionals: [a('192.0.2.1')] }), []));
  test('as far as they can be read', () => {
    const bytes = say({ answers: [a('192.0.2.1'), a('192.0.2.2')] });
    const cut = { bytes: bytes.slice(0, -1), ttlAt: [], life: 1, rcode: 0 };
    assert.equal(readForeignAnswers(cut, { age: 0 }).length, 1);
    assert.deepEqual(readForeignAnswers({ ...cut, bytes: bytes.slice(0, HEADER_BYTES) }, { age: 0 }), []);
  });
});

describe('a record where it lies', () => {
  const bytes = say({ answers: [a('192.0.2.1', 60)] });
  const at = HEADER_BYTES + ask().question.length;

  test('its parts', () => {
    const record = readRecord(bytes, at);
    assert.deepEqual(record && [record.name, record.type, record.class, record.ttl, record.end], [
      'example.com',
      TYPE.A,
      1,
      60,
      bytes.length,
    ]);
    assert.deepEqual(record && [...bytes.slice(record.dataAt, record.end)], [192, 0, 2, 1]);
    assert.equal(new DataView(bytes.buffer).getUint32(record?.ttlAt ?? 0), 60);
  });
  for (const [name, from, until] of [
    ['behind the end', bytes.length, bytes.length],
    ['cut in its data', at, bytes.length - 1],
    ['cut before its data', at, bytes.length - 5],
    ['cut in its name', at, at + 1],
  ] as const) {
    test(`none ${name}`, () => assert.equal(readRecord(bytes.slice(0, until), from), undefined));
  }
  test('none whose name leads to itself', () => {
    const circle = bytes.slice();
    new DataView(circle.buffer).setUint16(at, 0xc000 | at);
    assert.equal(readRecord(circle, at), undefined);
  });
});
