/** A name server with 1,000 Services, or a bare echo, in a thread of its own: says its port. */
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { ClusterZone, Forwarder, Resolver } from '@binnacle/dns';
import { listenDns, networkExchange } from '@binnacle/dns/node';

const SERVICES = 1_000;
const HOST = '127.0.0.1';

async function serveNames(): Promise<number> {
  const world = { clock: realClock, random: secureRandom, log: silentLogger };
  const zone = new ClusterZone({ domain: 'cluster.local', ttl: 30, serial: 1, addresses: [] });
  for (let at = 0; at < SERVICES; at++) {
    const addresses = [`10.96.${at >> 8}.${at & 255}`];
    zone.setService({ namespace: 'ns', name: `s${at}`, headless: false, externalName: '', ports: [], addresses });
  }
  const resolver = new Resolver({ ...world, zone, forwarder: new Forwarder({ ...world, exchange: networkExchange }) });
  return (await listenDns({ resolver, host: HOST, port: 0, log: silentLogger })).port;
}

function serveEcho(): Promise<number> {
  const socket = createSocket('udp4', (message, from) => socket.send(message, from.port, from.address));
  return new Promise((resolve) => socket.bind(0, HOST, () => resolve(socket.address().port)));
}

parentPort?.postMessage(await (workerData === 'echo' ? serveEcho() : serveNames()));
