/** A name server with 1,000 Services, a bare echo, or the world behind them, in a thread of its own: says its port. */
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { ClusterZone, Forwarder, Resolver } from '@binnacle/dns';
import { listenDns, networkExchange } from '@binnacle/dns/node';

const SERVICES = 1_000;
const HOST = '127.0.0.1';
const HEADER = 12;
/** Of a question below its name: type and class. */
const TYPE_AND_CLASS = 4;
/** The name of the question, A, IN, an hour, 192.0.2.1. */
const ANSWER = [0xc0, HEADER, 0, 1, 0, 1, 0, 0, 14, 16, 0, 4, 192, 0, 2, 1];

async function serveNames(world: number): Promise<number> {
  const parts = { clock: realClock, random: secureRandom, log: silentLogger };
  const zone = new ClusterZone({ domain: 'cluster.local', ttl: 30, serial: 1, addresses: [] });
  for (let at = 0; at < SERVICES; at++) {
    const addresses = [`10.96.${at >> 8}.${at & 255}`];
    zone.setService({ namespace: 'ns', name: `s${at}`, headless: false, externalName: '', ports: [], addresses });
  }
  const forwarder = new Forwarder({ ...parts, exchange: networkExchange });
  forwarder.configure({ upstreams: [{ host: HOST, port: world }], stubs: new Map() });
  const resolver = new Resolver({ ...parts, zone, forwarder });
  return (await listenDns({ resolver, host: HOST, port: 0, log: silentLogger })).port;
}

function serve(answer: (message: Buffer) => Uint8Array): Promise<number> {
  const socket = createSocket('udp4', (message, from) => socket.send(answer(message), from.port, from.address));
  return new Promise((resolve) => socket.bind(0, HOST, () => resolve(socket.address().port)));
}

/** Every name there is has one address. */
function answerAll(message: Buffer): Uint8Array {
  let end = HEADER;
  while ((message[end] ?? 0) !== 0) end += (message[end] ?? 0) + 1;
  const reply = Buffer.concat([message.subarray(0, end + 1 + TYPE_AND_CLASS), Uint8Array.from(ANSWER)]);
  // An answer with recursion; one question, one answer and nothing else.
  reply.writeUInt16BE(0x8180, 2);
  for (const [at, count] of [1, 1, 0, 0].entries()) reply.writeUInt16BE(count, 4 + at * 2);
  return reply;
}

const { kind, world } = workerData as { readonly kind: 'names' | 'echo' | 'world'; readonly world: number };
const serving = {
  names: () => serveNames(world),
  echo: () => serve((message) => message),
  world: () => serve(answerAll),
};
parentPort?.postMessage(await serving[kind]());
