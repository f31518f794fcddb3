import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { dropAfter } from './respond-upgrade.ts';

function start() {
  const socket = new EventEmitter();
  const dropped: (string | undefined)[] = [];
  const stop = dropAfter(socket as never, { abort: (error) => void dropped.push(error?.message) }, 1000);
  return { socket, dropped, stop };
}

test('what a client left behind is dropped when nobody has taken it in time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { socket, dropped } = start();
  t.mock.timers.tick(5000);
  socket.emit('close');
  t.mock.timers.tick(999);
  assert.deepEqual(dropped, []);
  t.mock.timers.tick(1);
  assert.deepEqual(dropped, ['the client has gone']);
});

test('what was taken in time, or before, leaves no timer', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const isFirst of [true, false]) {
    const { socket, dropped, stop } = start();
    if (isFirst) stop();
    socket.emit('close');
    stop();
    t.mock.timers.tick(5000);
    assert.deepEqual(dropped, []);
  }
});
