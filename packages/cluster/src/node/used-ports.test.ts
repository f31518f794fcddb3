import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { portsOf, usedPorts } from './used-ports.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue';

test('the sockets that listen beyond loopback', () => {
  const tcp = [
    HEAD,
    '   0: 00000000:1F90 00000000:0000 0A 00000000:00000000',
    '   1: 0100007F:1F91 00000000:0000 0A 00000000:00000000',
    '   2: 0101A8C0:0050 0201A8C0:D431 01 00000000:00000000',
    '   3: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 0:0',
    '   4: 00000000000000000000000001000000:0017 00000000000000000000000000000000:0000 0A 0:0',
    '   5: 0000000000000000FFFF00000100007F:0018 00000000000000000000000000000000:0000 0A 0:0',
    '',
  ].join('\n');
  assert.deepEqual(portsOf(tcp, 'tcp'), ['tcp/8080', 'tcp/22']);
  assert.deepEqual(portsOf('   0: 00000000:0035 00000000:0000 07 0:0', 'udp'), ['udp/53']);
});

test('of this machine, also without tables', async () => {
  const server = createServer().listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  assert.equal((await usedPorts()).has(`tcp/${port}`), true);
  server.close();
  assert.equal((await usedPorts('/nowhere')).size, 0);
});
