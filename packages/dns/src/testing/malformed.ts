/** Messages that are nearly right, and what a name server may do with them. */
import assert from 'node:assert/strict';
import * as oracle from 'dns-packet';
import { createSeededRandom, randomBelow, silentLogger, VirtualClock } from '@binnacle/base';
import { ClusterZone } from '../cluster-zone.ts';
import { Forwarder } from '../forwarder.ts';
import { Resolver } from '../resolver.ts';
import { encodeQuery } from './encode-query.ts';

/** Answers so many: never throws, never answers without the id of the question, never too much, always a message. */
export async function answerMalformed(seed: number, count: number): Promise<void> {
  const under = resolver();
  for (const message of mutated(seed, count)) {
    const answer = await under.answer(message, 'udp', '192.0.2.9');
    if (answer === undefined) continue;
    const told = `seed ${seed}: ${Buffer.from(message).toString('hex')}`;
    assert.ok(answer[0] === message[0] && answer[1] === message[1], told);
    assert.ok(((answer[2] ?? 0) & 0x80) !== 0 && answer.length <= 1232, told);
    assert.ok(oracle.decode(Buffer.from(answer)) !== undefined, told);
  }
}

function resolver(): Resolver {
  const zone = new ClusterZone({ domain: 'cluster.local', ttl: 5, serial: 1, addresses: [] });
  zone.setService({
    namespace: 'ns',
    name: 'web',
    headless: false,
    addresses: ['10.0.0.1'],
    externalName: '',
    ports: [],
  });
  const clock = new VirtualClock();
  const forwarder = new Forwarder({
    exchange: { ask: () => Promise.reject(new RangeError('nobody')) },
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
  });
  return new Resolver({ zone, forwarder, clock, random: createSeededRandom(2), log: silentLogger });
}

/** Messages that are nearly right: flipped bits, cut ends, doubled parts. */
function* mutated(seed: number, count: number): Generator<Uint8Array> {
  const random = createSeededRandom(seed);
  const seeds = [
    encodeQuery('web.ns.svc.cluster.local', 'A'),
    encodeQuery('example.com', 'SRV', { edns: 1400 }),
    encodeQuery('1.0.0.10.in-addr.arpa', 'PTR', { edns: 0 }),
  ];
  for (let n = 0; n < count; n++) {
    const bytes = Uint8Array.from(seeds[n % seeds.length] ?? []);
    for (let flips = 1 + randomBelow(random, 6); flips > 0; flips--)
      bytes[randomBelow(random, bytes.length)] = randomBelow(random, 256);
    const end = randomBelow(random, 4) === 0 ? randomBelow(random, bytes.length) : bytes.length;
    yield bytes.subarray(0, end);
  }
}
