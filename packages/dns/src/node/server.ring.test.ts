/** The name server over real sockets, asked by a real resolver, with another of its kind behind it. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver as SystemResolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as oracle from 'dns-packet';
import { createSeededRandom, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { ClusterZone } from '../cluster-zone.ts';
import { Forwarder } from '../forwarder.ts';
import type { Exchange } from '../ports.ts';
import { Resolver } from '../resolver.ts';
import { networkExchange } from './exchange.ts';
import { MessageSplitter, withLength } from './framing.ts';
import { listenDns } from './server.ts';
import type { DnsListener } from './server.ts';

interface Started {
  readonly zone: ClusterZone;
  readonly forwarder: Forwarder;
  readonly resolver: Resolver;
  readonly listener: DnsListener;
}

async function start(domain: string, exchange: Exchange = networkExchange): Promise<Started> {
  const world = { clock: realClock, random: createSeededRandom(4), log: silentLogger };
  const zone = new ClusterZone({ domain, ttl: 5, serial: 1, addresses: [] });
  const forwarder = new Forwarder({ ...world, exchange });
  const resolver = new Resolver({ ...world, zone, forwarder });
  const listener = await listenDns({ resolver, host: '127.0.0.1', port: 0, log: silentLogger });
  return { zone, forwarder, resolver, listener };
}

let cluster: Started;
let outside: Started;
const client = new SystemResolver({ timeout: 2000, tries: 1 });

before(async () => {
  cluster = await start('cluster.local');
  outside = await start('example.com');
  cluster.forwarder.configure({ upstreams: [{ host: '127.0.0.1', port: outside.listener.port }], stubs: new Map() });
  client.setServers([`127.0.0.1:${cluster.listener.port}`]);
  const common = { namespace: 'ns', headless: false, addresses: [], externalName: '', ports: [] };
  cluster.zone.setService({ ...common, name: 'web', addresses: ['10.96.0.7', 'fd00::7'] });
  cluster.zone.setService({ ...common, name: 'many', headless: true });
  cluster.zone.setSlice({
    namespace: 'ns',
    name: 'many-1',
    service: 'many',
    ports: [{ name: 'http', protocol: 'tcp', port: 8080 }],
    endpoints: Array.from({ length: 200 }, (_, n) => ({ address: `10.1.0.${n}`, hostname: `many-${n}` })),
  });
  outside.zone.setService({ ...common, name: 'shop', addresses: ['198.51.100.4'] });
});

after(async () => {
  await cluster.listener.close();
  await outside.listener.close();
});

test('addresses of both families, SRV, PTR', async () => {
  assert.deepEqual(await client.resolve4('web.ns.svc.cluster.local'), ['10.96.0.7']);
  assert.deepEqual(await client.resolve6('web.ns.svc.cluster.local'), ['fd00::7']);
  assert.deepEqual(await client.resolvePtr('7.0.96.10.in-addr.arpa'), ['web.ns.svc.cluster.local']);
  await assert.rejects(client.resolve4('none.ns.svc.cluster.local'), { code: 'ENOTFOUND' });
  await assert.rejects(client.resolveMx('web.ns.svc.cluster.local'), { code: 'ENODATA' });
});

test('an answer too large for a datagram comes over TCP', async () => {
  assert.equal((await client.resolve4('many.ns.svc.cluster.local')).length, 200);
  assert.equal((await client.resolveSrv('_http._tcp.many.ns.svc.cluster.local')).length, 200);
});

test('other names are asked for outside', async () => {
  assert.deepEqual(await client.resolve4('shop.ns.svc.example.com'), ['198.51.100.4']);
});

test('questions one after the other on one connection, cut anywhere, are all answered', async () => {
  const socket = connect({ host: '127.0.0.1', port: cluster.listener.port });
  const ids = new Set<number>();
  const all = new Promise<void>((resolve) => {
    const splitter = new MessageSplitter();
    socket.on('data', (chunk: Buffer) => {
      splitter.push(chunk);
      for (let reply = splitter.next(); reply !== undefined; reply = splitter.next())
        ids.add(oracle.decode(Buffer.from(reply)).id ?? -1);
      if (ids.size === 300) resolve();
    });
  });
  const messages = Array.from({ length: 300 }, (_, id) =>
    withLength(
      oracle.encode({
        type: 'query',
        id,
        questions: [{ name: id % 3 === 0 ? 'shop.ns.svc.example.com' : 'web.ns.svc.cluster.local', type: 'A' }],
      }),
    ),
  );
  const bytes = Buffer.concat(messages);
  for (let at = 0; at < bytes.length; at += 1000) socket.write(bytes.subarray(at, at + 1000));
  await all;
  socket.destroy();
});

/** Sends bytes and half-closes; what is answered until the server ends too. */
async function askAndEnd(bytes: Uint8Array): Promise<number[]> {
  const socket = connect({ host: '127.0.0.1', port: cluster.listener.port, allowHalfOpen: true });
  socket.end(bytes);
  const ids: number[] = [];
  const splitter = new MessageSplitter();
  for await (const chunk of socket) {
    splitter.push(chunk as Buffer);
    for (let reply = splitter.next(); reply !== undefined; reply = splitter.next())
      ids.push(oracle.decode(Buffer.from(reply)).id ?? -1);
  }
  return ids.toSorted((a, b) => a - b);
}

test('who half-closes after asking is answered, and then hung up on; who asks nothing at once', async () => {
  const ask = (id: number, name: string): Uint8Array =>
    withLength(oracle.encode({ type: 'query', id, questions: [{ name, type: 'A' }] }));
  const here = ask(1, 'web.ns.svc.cluster.local');
  const there = ask(2, 'shop.ns.svc.example.com');
  assert.deepEqual(await askAndEnd(here), [1]);
  assert.deepEqual(await askAndEnd(Buffer.concat([there, here])), [1, 2]);
  const many = Array.from({ length: 400 }, (_, id) =>
    ask(id, id % 2 === 0 ? 'many.ns.svc.cluster.local' : 'shop.ns.svc.example.com'),
  );
  assert.equal((await askAndEnd(Buffer.concat(many))).length, 400);
  assert.deepEqual(await askAndEnd(Buffer.concat([here, there.subarray(0, 7)])), [1], 'half a question is none');
  assert.deepEqual(await askAndEnd(new Uint8Array()), []);
});

test('who sends questions without end and reads nothing is answered no further, and others are', async () => {
  const question = withLength(
    oracle.encode({ type: 'query', id: 1, questions: [{ name: 'many.ns.svc.cluster.local', type: 'A' }] }),
  );
  let answered = 0;
  const { resolver } = cluster;
  const counting = {
    answer: (...of: Parameters<Resolver['answer']>) => {
      answered++;
      return resolver.answer(...of);
    },
  } as Resolver;
  const listener = await listenDns({ resolver: counting, host: '127.0.0.1', port: 0, log: silentLogger });
  const greedy = connect({ host: '127.0.0.1', port: listener.port });
  greedy.on('error', () => undefined);
  greedy.pause();
  // 128 MB of answers.
  await new Promise((resolve) => greedy.write(Buffer.alloc(40_000 * question.length, question), resolve));
  const polite = connect({ host: '127.0.0.1', port: listener.port });
  // In as many turns all of the other one's questions would have been read.
  for (let at = 0; at < 100; at++) {
    polite.write(question);
    await once(polite, 'data');
  }
  assert.ok(answered < 20_000, `${answered} were answered that nobody reads`);
  for (const socket of [greedy, polite]) socket.destroy();
  await listener.close();
});

test('a connection that says nonsense is closed, and others go on', async () => {
  const socket = connect({ host: '127.0.0.1', port: cluster.listener.port });
  socket.write(Buffer.from([0, 3, 1, 2, 3]));
  await once(socket, 'close');
  assert.deepEqual(await client.resolve4('web.ns.svc.cluster.local'), ['10.96.0.7']);
});

test('a server that is asked by the one it asks notices', async () => {
  const loop = await start('loop.local');
  loop.forwarder.configure({ upstreams: [{ host: '127.0.0.1', port: loop.listener.port }], stubs: new Map() });
  await loop.resolver.probeLoop();
  assert.equal(loop.resolver.looping, true);
  await loop.listener.close();
});

test('while a flood of questions waits for servers that do not answer, everybody is answered at once', async () => {
  const asked = new Set<string>();
  // As many as are let in wait for ever.
  const flooded = await start('cluster.local', {
    ask: (_upstream, message) => {
      asked.add(oracle.decode(Buffer.from(message)).questions?.[0]?.name ?? '');
      return new Promise(() => undefined);
    },
  });
  const { zone, forwarder, listener } = flooded;
  const service = { namespace: 'ns', name: 'web', headless: false, addresses: ['10.96.0.7'] };
  zone.setService({ ...service, externalName: '', ports: [] });
  forwarder.configure({ upstreams: [{ host: '192.0.2.1', port: 53 }], stubs: new Map() });
  const flood = createSocket('udp4');
  flood.bind(0, '127.0.0.2');
  let refused = 0;
  flood.on('message', () => refused++);
  // The kernel may drop some of them, and the server gets its turns in between.
  for (let sent = 0; refused < 2000; sent++) {
    assert.ok(sent < 1_000_000, `${refused} were refused`);
    const questions = [{ name: `n${sent}.example.com`, type: 'A', class: 'IN' }] as const;
    flood.send(oracle.encode({ type: 'query', id: 1, questions: [...questions] }), listener.port, '127.0.0.1');
    if (sent % 50 === 0) await nextTurn();
  }
  const asker = new SystemResolver({ timeout: 10_000, tries: 3 });
  asker.setServers([`127.0.0.1:${listener.port}`]);
  assert.deepEqual(await asker.resolve4('web.ns.svc.cluster.local'), ['10.96.0.7']);
  // Another client is heard by the servers outside.
  void asker.resolve4('mine.example.org').catch(() => undefined);
  while (!asked.has('mine.example.org')) await nextTurn();
  asker.cancel();
  flood.close();
  await listener.close();
});
