import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import { ClusterZone } from '../cluster-zone.ts';
import { Forwarder } from '../forwarder.ts';
import { Resolver } from '../resolver.ts';
import { encodeQuery } from '../testing/encode-query.ts';
import { networkExchange } from './exchange.ts';
import { serveDatagrams } from './server.ts';

test('a question from port 0, which any pod may forge, is not answered, and ends nothing', async () => {
  const world = { clock: new VirtualClock(), random: createSeededRandom(4), log: silentLogger };
  const zone = new ClusterZone({ domain: 'cluster.local', ttl: 5, serial: 1, addresses: [] });
  const resolver = new Resolver({ ...world, zone, forwarder: new Forwarder({ ...world, exchange: networkExchange }) });
  const [server, client] = [createSocket('udp4'), createSocket('udp4')];
  try {
    for (const socket of [server, client]) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    serveDatagrams(server, { resolver, log: silentLogger });
    const question = Buffer.from(encodeQuery('dns-version.cluster.local', 'TXT'));
    // As the kernel hands such a datagram over; to send one takes a raw socket.
    server.emit('message', question, { address: '127.0.0.1', family: 'IPv4', port: 0, size: question.length });
    client.send(question, server.address().port, '127.0.0.1');
    const [answer] = (await once(client, 'message')) as [Buffer];
    assert.equal(answer.readUInt16BE(0), question.readUInt16BE(0));
  } finally {
    server.close();
    client.close();
  }
});
