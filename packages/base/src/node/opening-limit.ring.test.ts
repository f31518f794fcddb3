import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeTestCertificate } from '../testing/certificate.ts';
import { createHttpCaller } from './http-caller.ts';
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

test('who takes a connection and does not answer the handshake is given up, of whatever nobody else limits', async (t) => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const place = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const caller = createHttpCaller();
  const trust = { ca: makeTestCertificate(['IP:127.0.0.1']).cert };
  for (const how of ['request', 'upgrade'] as const) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const taken = once(silent, 'connection') as Promise<[Socket]>;
    const said = { name: 'HttpConnectError', message: `Get "${place}": net/http: TLS handshake timeout` };
    const failed = assert.rejects(caller[how]({ method: 'GET', url: place, trust }), said);
    const [socket] = await taken;
    socket.on('error', () => undefined);
    await once(socket, 'data');
    t.mock.timers.tick(10_000);
    await failed;
    t.mock.timers.reset();
    socket.destroy();
  }
  await caller.close();
  silent.close();
  await once(silent, 'close');
});
