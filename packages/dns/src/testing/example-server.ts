/** A name server of an example cluster on 127.0.0.1:53, for a network namespace of its own; says `ready`, ends with its input. */
import { createSeededRandom, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { ClusterZone } from '../cluster-zone.ts';
import { Forwarder } from '../forwarder.ts';
import { networkExchange } from '../node/exchange.ts';
import { listenDns } from '../node/server.ts';
import { Resolver } from '../resolver.ts';

const HTTP = { name: 'http', protocol: 'tcp', port: 80 };
const COMMON = { namespace: 'ns', headless: false, addresses: [], externalName: '', ports: [HTTP] };
const MANY = 200;

const world = { clock: realClock, random: createSeededRandom(4), log: silentLogger };
const zone = new ClusterZone({ domain: 'cluster.local', ttl: 5, serial: 1, addresses: ['127.0.0.1'] });
zone.setService({ ...COMMON, name: 'web', addresses: ['10.96.0.7', 'fd00::7'] });
zone.setService({ ...COMMON, name: 'db', headless: true });
zone.setSlice({
  namespace: 'ns',
  name: 'db-1',
  service: 'db',
  ports: [HTTP],
  endpoints: [{ address: '10.1.0.9', hostname: 'db-0' }],
});
zone.setService({ ...COMMON, name: 'many', headless: true });
zone.setSlice({
  namespace: 'ns',
  name: 'many-1',
  service: 'many',
  ports: [HTTP],
  endpoints: Array.from({ length: MANY }, (_, n) => ({ address: `10.2.0.${n}`, hostname: `many-${n}` })),
});
zone.setService({ ...COMMON, name: 'out', externalName: 'web.ns.svc.cluster.local', ports: [] });

const forwarder = new Forwarder({ ...world, exchange: networkExchange });
const resolver = new Resolver({ ...world, zone, forwarder });
await listenDns({ resolver, host: '127.0.0.1', port: 53, log: silentLogger });
process.stdin.resume().once('close', () => process.exit());
process.stdout.write('ready\n');
