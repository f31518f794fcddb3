import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { Scope } from '../scope.ts';
import { listenWithin } from './listen-within.ts';

const AT = { host: '127.0.0.1', port: 0 };

test('it listens until the scope ends, and cuts off who is there; a caller that is not let in ends nothing', async () => {
  const [scope, server] = [new Scope('test'), createServer()];
  let cuts = 0;
  await listenWithin(scope, server, { ...AT, cutOff: () => cuts++ });
  const socket = connect((server.address() as AddressInfo).port, AT.host);
  await once(socket, 'connect');
  assert.doesNotThrow(() => server.emit('error', new Error('accept EMFILE')));
  const gone = once(socket, 'close');
  await scope.close();
  await gone;
  assert.deepEqual([server.listening, cuts], [false, 1]);
});

test('where it cannot listen, it says why', async () => {
  const [scope, first] = [new Scope('test'), createServer()];
  await listenWithin(scope, first, AT);
  const { port } = first.address() as AddressInfo;
  await assert.rejects(listenWithin(scope, createServer(), { ...AT, port }), { code: 'EADDRINUSE' });
  await scope.close();
});
