import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { limitOpening } from './opening-limit.ts';

test('what is not connected within half a minute is given up', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // The name is never found.
  const socket = connect({ host: 'name.test', port: 1, lookup: () => undefined });
  limitOpening(socket);
  const error = once(socket, 'error');
  t.mock.timers.tick(29_999);
  assert.equal(socket.destroyed, false);
  t.mock.timers.tick(1);
  assert.deepEqual((await error)[0].message, 'i/o timeout');
});

test('what is connected has its time for the handshake; what needs none is left alone', async (t) => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const to = { host: '127.0.0.1', port: (silent.address() as AddressInfo).port };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [plain, secure] = [connect(to), connectTls(to)];
  for (const socket of [plain, secure, new PassThrough()]) limitOpening(socket);
  await Promise.all([once(plain, 'connect'), once(secure, 'connect')]);
  const error = once(secure, 'error');
  t.mock.timers.tick(10_000);
  assert.deepEqual((await error)[0].message, 'net/http: TLS handshake timeout');
  t.mock.timers.tick(60_000);
  assert.equal(plain.destroyed, false);
  plain.destroy();
  silent.close();
  await once(silent, 'close');
});
