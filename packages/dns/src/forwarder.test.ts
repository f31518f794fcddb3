import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oracle from 'dns-packet';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import { ClusterZone } from './cluster-zone.ts';
import { UpstreamError } from './errors.ts';
import { Forwarder } from './forwarder.ts';
import type { ForwarderOptions } from './forwarder.ts';
import type { Upstream } from './ports.ts';
import { RCODE } from './records.ts';
import { Resolver } from './resolver.ts';
import { encodeQuery } from './testing/encode-query.ts';

const ONE: Upstream = { host: '192.0.2.1', port: 53 };
const TWO: Upstream = { host: '192.0.2.2', port: 53 };

type Answerer = (packet: oracle.Packet, upstream: Upstream, stream: boolean) => Partial<oracle.Packet> | undefined;

const asks = (message: Uint8Array): string => oracle.decode(Buffer.from(message)).questions?.[0]?.name ?? '';
const rcodeOf = (reply: Uint8Array | undefined): string =>
  (oracle.decode(Buffer.from(reply ?? [])) as unknown as { readonly rcode: string }).rcode;

/** An answer to what is asked: nothing of the type. */
function replyTo(message: Uint8Array): Uint8Array {
  const { id = 0, questions = [] } = oracle.decode(Buffer.from(message));
  return oracle.encode({ type: 'response', id, flags: 0, questions });
}

/** A world of name servers, played by a function; undefined: no answer. */
function start(answer: Answerer, upstreams: readonly Upstream[] = [ONE], options: Partial<ForwarderOptions> = {}) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const forwarder = new Forwarder({
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
    exchange: {
      async ask(upstream, message, { stream, accepts }) {
        const packet = oracle.decode(Buffer.from(message));
        asked.push(`${upstream.host}${stream ? ' tcp' : ''} ${packet.questions?.[0]?.name ?? ''}`);
        const reply = answer(packet, upstream, stream);
        if (reply === undefined) throw new UpstreamError('silent');
        const bytes = oracle.encode({
          type: 'response',
          id: packet.id ?? 0,
          flags: 0,
          questions: packet.questions ?? [],
          ...reply,
        });
        assert.ok(accepts(bytes));
        return await Promise.resolve(bytes);
      },
    },
    ...options,
  });
  forwarder.configure({ upstreams, stubs: new Map([['corp.example', [TWO]]]) });
  const zone = new ClusterZone({ domain: 'cluster.local', ttl: 5, serial: 1, addresses: [] });
  const service = { namespace: 'ns', headless: false, addresses: [], ports: [] };
  zone.setService({ ...service, name: 'out', externalName: 'example.com' });
  zone.setService({ ...service, name: 'in', externalName: 'web.ns.svc.cluster.local' });
  zone.setService({ ...service, name: 'circle', externalName: 'circle.ns.svc.cluster.local' });
  zone.setService({ ...service, name: 'web', externalName: '', addresses: ['10.0.0.9'] });
  const resolver = new Resolver({ zone, forwarder, clock, random: createSeededRandom(2), log: silentLogger });
  async function ask(
    name: string,
    options: { id?: number; transport?: 'udp' | 'tcp'; edns?: boolean; client?: string } = {},
  ) {
    const { id = 3, edns } = options;
    const query = encodeQuery(name, 'A', { id, edns: edns === true ? 1232 : undefined });
    const bytes = await resolver.answer(query, options.transport ?? 'udp', options.client ?? '192.0.2.9');
    assert.ok(bytes !== undefined);
    const packet = oracle.decode(Buffer.from(bytes)) as unknown as oracle.Packet & { rcode: string; flag_tc: boolean };
    const answers = (packet.answers ?? []).map(
      (each) => `${each.type} ${String((each as { data?: unknown }).data)} ${String((each as { ttl?: number }).ttl)}`,
    );
    return { packet, answers };
  }
  return { clock, asked, ask, resolver, forwarder, zone };
}

const address = (data: string, ttl = 100): Partial<oracle.Packet> => ({
  answers: [{ type: 'A', name: 'example.com', ttl, data }],
});

test('an answer is kept for its life, and loses age', async () => {
  const { ask, asked, clock } = start(() => address('198.51.100.7'));
  assert.deepEqual((await ask('example.com')).answers, ['A 198.51.100.7 100']);
  await clock.advance(40_000);
  const again = await ask('Example.Com', { id: 9, edns: true });
  assert.deepEqual(again.answers, ['A 198.51.100.7 60']);
  assert.deepEqual(
    [again.packet.id, again.packet.questions?.[0]?.name, again.packet.additionals?.length],
    [9, 'Example.Com', 1],
  );
  assert.equal(asked.length, 1);
  await clock.advance(61_000);
  await ask('example.com');
  assert.equal(asked.length, 2);
});

test('while nobody answers, what was known goes on for an hour', async () => {
  let silent = false;
  const { ask, clock } = start(() => (silent ? undefined : address('198.51.100.7', 10)));
  await ask('example.com');
  silent = true;
  await clock.advance(1_000_000);
  assert.deepEqual((await ask('example.com')).answers, ['A 198.51.100.7 30']);
  await clock.advance(3_600_000);
  assert.equal((await ask('example.com')).packet.rcode, 'SERVFAIL');
});

test('a server that is there and finds nothing out is nobody who answers: what was known goes on', async () => {
  for (const rcode of [RCODE.serverFailure, RCODE.refused]) {
    let isLost = false;
    const { ask, clock } = start(() => (isLost ? { flags: rcode } : address('198.51.100.7', 10)));
    await ask('example.com');
    isLost = true;
    await clock.advance(11_000);
    const { packet, answers } = await ask('example.com');
    assert.deepEqual([packet.rcode, answers], ['NOERROR', ['A 198.51.100.7 30']]);
    // What nobody ever knew is told as it is.
    assert.equal((await ask('other.example')).packet.rcode, rcode === RCODE.refused ? 'REFUSED' : 'SERVFAIL');
    isLost = false;
    assert.deepEqual((await ask('example.com')).answers, ['A 198.51.100.7 10']);
  }
});

test('a server that refuses to look is passed over for the next one', async () => {
  for (const rcode of [RCODE.refused, RCODE.notImplemented]) {
    const { ask } = start(
      (_packet, { host }) => (host === ONE.host ? { flags: rcode } : address('198.51.100.7', 0)),
      [ONE, TWO],
    );
    for (let n = 0; n < 4; n++) assert.equal((await ask('example.com')).packet.rcode, 'NOERROR');
  }
});

test('one question for however many want to know', async () => {
  const { ask, asked } = start(() => address('198.51.100.7'));
  await Promise.all(Array.from({ length: 50 }, () => ask('example.com')));
  assert.equal(asked.length, 1);
});

test('the next server is asked when one is silent or fails, and the silent one rests', async () => {
  const { ask, asked } = start(
    (_packet, { host }) => (host === ONE.host ? undefined : { ...address('198.51.100.7', 0) }),
    [ONE, TWO],
  );
  for (let n = 0; n < 4; n++) assert.equal((await ask('example.com')).answers.length, 1);
  assert.deepEqual(asked.filter((line) => line.startsWith(ONE.host)).length, 1);
});

test('a domain with servers of its own', async () => {
  const { ask, asked } = start(() => address('198.51.100.7'));
  await ask('host.corp.example');
  await ask('notcorp.example');
  assert.deepEqual(asked, ['192.0.2.2 host.corp.example', '192.0.2.1 notcorp.example']);
});

test('an answer that is not whole is asked for again over TCP', async () => {
  const { ask, asked } = start((_packet, _upstream, stream) =>
    stream ? address('198.51.100.7') : { flags: oracle.TRUNCATED_RESPONSE },
  );
  assert.deepEqual((await ask('example.com')).answers, ['A 198.51.100.7 100']);
  assert.deepEqual(asked, ['192.0.2.1 example.com', '192.0.2.1 tcp example.com']);
});

test('a large answer is cut for datagrams only', async () => {
  const many = Array.from({ length: 60 }, (_, n) => ({
    type: 'A' as const,
    name: 'example.com',
    ttl: 9,
    data: `198.51.100.${n}`,
  }));
  const { ask } = start(() => ({ answers: many }));
  const cut = await ask('example.com');
  assert.deepEqual([cut.packet.flag_tc, cut.answers.length], [true, 0]);
  assert.equal((await ask('example.com', { transport: 'tcp' })).answers.length, 60);
});

test('a no is kept for a while, a failure is not', async () => {
  let code = RCODE.nameError as number;
  const soa = {
    type: 'SOA' as const,
    name: 'com',
    ttl: 900,
    data: { mname: 'a.com', rname: 'b.com', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 900 },
  };
  const { ask, asked, clock } = start(() => ({ flags: code, authorities: [soa] }));
  assert.equal((await ask('example.com')).packet.rcode, 'NXDOMAIN');
  await ask('example.com');
  assert.equal(asked.length, 1);
  await clock.advance(31_000);
  code = RCODE.serverFailure;
  await ask('other.com');
  await ask('other.com');
  assert.equal(asked.length, 3);
});

test('aliases: followed outside and inside, alone where nobody can be asked, never in circles', async () => {
  let silent = false;
  const { ask } = start(() => (silent ? undefined : address('198.51.100.7', 0)));
  assert.deepEqual((await ask('out.ns.svc.cluster.local')).answers, ['CNAME example.com 5', 'A 198.51.100.7 0']);
  silent = true;
  const alone = await ask('out.ns.svc.cluster.local');
  assert.deepEqual([alone.packet.rcode, alone.answers], ['NOERROR', ['CNAME example.com 5']]);
  assert.deepEqual((await ask('in.ns.svc.cluster.local')).answers, [
    'CNAME web.ns.svc.cluster.local 5',
    'A 10.0.0.9 5',
  ]);
  assert.ok((await ask('circle.ns.svc.cluster.local')).answers.length <= 5);
});

test('what an alias leads to is told whatever its type, and no longer than it lives', async () => {
  const answersOf: { readonly [type: string]: readonly oracle.Answer[] } = {
    TXT: [{ type: 'TXT', name: 'example.com', ttl: 100, data: [Buffer.from([0x61, 0xff])] }],
    MX: [{ type: 'MX', name: 'example.com', ttl: 100, data: { preference: 5, exchange: 'mail.example.com' } }],
    CAA: [{ type: 'CAA', name: 'example.com', ttl: 100, data: { flags: 0, tag: 'issue', value: 'ca.example' } }],
    A: [
      { type: 'CNAME', name: 'example.com', ttl: 100, data: 'b.example.com' },
      { type: 'A', name: 'b.example.com', ttl: 100, data: '198.51.100.7' },
    ],
  };
  const { resolver, clock } = start(({ questions }) => ({
    answers: [...(answersOf[questions?.[0]?.type ?? ''] ?? [])],
  }));
  const ask = async (type: string) => {
    const reply = await resolver.answer(encodeQuery('out.ns.svc.cluster.local', type), 'tcp', '192.0.2.9');
    const { answers = [] } = oracle.decode(Buffer.from(reply ?? []));
    return answers.map((one) => ({
      type: one.type,
      ttl: (one as { ttl?: number }).ttl,
      data: (one as { data?: unknown }).data,
    }));
  };
  for (const [type, wanted] of Object.entries(answersOf)) {
    const told = wanted.map((one) => ({ type: one.type, ttl: 100, data: (one as { data?: unknown }).data }));
    const [alias, ...found] = await ask(type);
    assert.deepEqual(alias, { type: 'CNAME', ttl: 5, data: 'example.com' });
    assert.equal(JSON.stringify(found.map(plainly)), JSON.stringify(told.map(plainly)), type);
  }
  await clock.advance(40_000);
  assert.deepEqual(
    (await ask('A')).map(({ ttl }) => ttl),
    [5, 60, 60],
  );
});

/** Some data come back with more words than they were given in. */
function plainly({
  type,
  ttl,
  data,
}: {
  readonly type: string;
  readonly ttl: unknown;
  readonly data: unknown;
}): unknown {
  const { tag, value } = data as { readonly tag?: string; readonly value?: string };
  return [type, ttl, tag === undefined ? data : [tag, value]];
}

test('our own question coming back is noticed, and nothing is forwarded any more', async () => {
  const world: { resolver?: Resolver } = {};
  const { resolver, ask, asked } = start((packet) => {
    const question = oracle.encode({ type: 'query', id: 1, questions: packet.questions ?? [] });
    const answer = world.resolver?.answer(question, 'udp', ONE.host);
    assert.ok(answer instanceof Uint8Array);
    return { flags: RCODE.serverFailure };
  });
  world.resolver = resolver;
  await resolver.probeLoop();
  assert.equal(resolver.looping, true);
  const before = asked.length;
  assert.equal((await ask('example.com')).packet.rcode, 'SERVFAIL');
  assert.equal(asked.length, before);
});

test('a server that hands the names of the cluster to us is in no circle with us', async () => {
  const world: { resolver?: Resolver } = {};
  const { resolver, ask } = start((packet) => {
    const name = packet.questions?.[0]?.name ?? '';
    if (!name.endsWith('cluster.local')) return address('198.51.100.7');
    const question = oracle.encode({ type: 'query', id: 1, questions: packet.questions ?? [] });
    assert.ok(world.resolver?.answer(question, 'udp', ONE.host) !== undefined);
    return { flags: RCODE.serverFailure };
  });
  world.resolver = resolver;
  await resolver.probeLoop();
  assert.equal(resolver.looping, false);
  assert.equal((await ask('example.com')).packet.rcode, 'NOERROR');
});

test('servers that ask us in turn are forgotten with the configuration that named them', async () => {
  const world: { resolver?: Resolver } = {};
  let late: Buffer | undefined;
  const { resolver, ask, forwarder } = start((packet) => {
    if (late !== undefined) return address('198.51.100.7');
    late = oracle.encode({ type: 'query', id: 1, questions: packet.questions ?? [] });
    void world.resolver?.answer(late, 'udp', ONE.host);
    return { flags: RCODE.serverFailure };
  });
  world.resolver = resolver;
  await resolver.probeLoop();
  assert.equal(resolver.looping, true);
  forwarder.configure({ upstreams: [ONE], stubs: new Map() });
  await resolver.probeLoop();
  void resolver.answer(late ?? Buffer.alloc(0), 'udp', ONE.host);
  assert.equal(resolver.looping, false);
  assert.equal((await ask('example.com')).packet.rcode, 'NOERROR');
});

test('one client waits with its part of the questions, others are still asked for, and cluster names go on', async () => {
  const { resolver } = start(() => undefined, [ONE], {
    waiters: { max: 6, perClientMax: 4 },
    exchange: { ask: () => new Promise<Uint8Array>(() => undefined) },
  });
  const ask = (name: string, client: string) => Promise.resolve(resolver.answer(encodeQuery(name, 'A'), 'udp', client));
  const outcome = async (asking: Promise<Uint8Array | undefined>): Promise<string> =>
    Promise.race([asking.then(rcodeOf), new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);
  const told: string[] = [];
  for (const [name, client] of [
    ...Array.from({ length: 5 }, (_, at) => [`n${at}.example`, '10.0.0.1'] as const),
    // Who waits for the same is one more that waits.
    ['n0.example', '10.0.0.1'],
    ['n0.example', '10.0.0.2'],
    ['m.example', '10.0.0.2'],
    ['m.example', '10.0.0.3'],
    ['web.ns.svc.cluster.local', '10.0.0.1'],
    ['in.ns.svc.cluster.local', '10.0.0.1'],
    ['out.ns.svc.cluster.local', '10.0.0.1'],
  ] as const)
    told.push(await outcome(ask(name, client)));
  const [waits, refused, found] = ['waits', 'SERVFAIL', 'NOERROR'];
  assert.deepEqual(
    told,
    [waits, waits, waits, waits, refused, refused, waits, waits, refused, found, found, found],
    'of an alias to the outside there is the alias',
  );
});

test('while all servers are known to be silent, what was known is said at once, and asked for again', async () => {
  let silent = false;
  const { ask, asked, clock, resolver } = start(() => (silent ? undefined : address('198.51.100.7', 10)));
  await ask('example.com');
  silent = true;
  await clock.advance(11_000);
  const question = encodeQuery('example.com', 'A');
  assert.ok(resolver.answer(question, 'udp', 'a') instanceof Promise, 'nobody knows yet');
  await ask('example.com');
  const before = asked.length;
  const old = resolver.answer(question, 'udp', 'a');
  assert.ok(old instanceof Uint8Array, 'at once');
  assert.ok(asked.length > before, 'and asked for');
  silent = false;
  await ask('example.com');
  await clock.advance(6_000);
  assert.deepEqual((await ask('example.com')).answers, ['A 198.51.100.7 10']);
});

test('answers from memory change with what they were made of', async () => {
  const { ask, zone, forwarder, clock } = start(() => address('198.51.100.7', 10));
  const web = { namespace: 'ns', name: 'web', headless: false, ports: [], externalName: '' };
  const addressOf = async (name: string) => (await ask(name)).answers;
  for (let twice = 0; twice < 2; twice++) {
    assert.deepEqual(await addressOf('web.ns.svc.cluster.local'), ['A 10.0.0.9 5']);
    assert.deepEqual(await addressOf('example.com'), ['A 198.51.100.7 10']);
  }
  zone.setService({ ...web, addresses: ['10.0.0.10'] });
  assert.deepEqual(await addressOf('web.ns.svc.cluster.local'), ['A 10.0.0.10 5']);
  zone.removeService(web);
  assert.deepEqual((await ask('web.ns.svc.cluster.local')).packet.rcode, 'NXDOMAIN');
  await clock.advance(3_000);
  for (let twice = 0; twice < 2; twice++) assert.deepEqual(await addressOf('example.com'), ['A 198.51.100.7 7']);
  forwarder.configure({ upstreams: [], stubs: new Map() });
  assert.deepEqual((await ask('example.com')).packet.rcode, 'SERVFAIL');
});

test('what servers say that are not asked any more is neither kept nor told to who asks later', async () => {
  const late: (() => void)[] = [];
  const asked: string[] = [];
  const { resolver, forwarder } = start(() => undefined, [ONE], {
    exchange: {
      ask: ({ host }, message) => {
        asked.push(host);
        const { id = 0, questions = [] } = oracle.decode(Buffer.from(message));
        const data = host === ONE.host ? '198.51.100.1' : '198.51.100.2';
        const reply = oracle.encode({ type: 'response', id, flags: 0, questions, ...address(data) });
        return new Promise((resolve) => late.push(() => resolve(reply)));
      },
    },
  });
  const ask = async () => {
    const reply = await resolver.answer(encodeQuery('example.com', 'A'), 'udp', '192.0.2.9');
    return oracle.decode(Buffer.from(reply ?? [])).answers?.map((each) => (each as { data?: unknown }).data);
  };
  const before = ask();
  forwarder.configure({ upstreams: [TWO], stubs: new Map() });
  const after = ask();
  assert.deepEqual(asked, [ONE.host, TWO.host]);
  const [first, second] = late;
  second?.();
  assert.deepEqual(await after, ['198.51.100.2']);
  first?.();
  assert.deepEqual(await before, ['198.51.100.1']);
  assert.deepEqual(await ask(), ['198.51.100.2']);
  assert.equal(asked.length, 2);
});

test('a domain whose servers are silent does not take the places of questions to others', async () => {
  const { resolver } = start(() => address('198.51.100.7'), [ONE], {
    exchange: {
      ask: async ({ host }, message) => {
        if (host === ONE.host) return replyTo(message);
        // The first one is told at once what the others wait for.
        if (asks(message) === 'first.corp.example') throw new UpstreamError('silent');
        return new Promise<Uint8Array>(() => undefined);
      },
    },
  });
  const ask = (name: string, client: number) =>
    Promise.resolve(resolver.answer(encodeQuery(name, 'A'), 'udp', `10.0.0.${client}`));
  await ask('first.corp.example', 1);
  for (let at = 0; at < 2500; at++) void ask(`n${at}.corp.example`, at % 10);
  const refused = await ask('more.corp.example', 77);
  assert.equal(rcodeOf(refused), 'SERVFAIL');
  assert.equal(rcodeOf(await ask('example.com', 1)), 'NOERROR');
});
