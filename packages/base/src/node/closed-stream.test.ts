import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { forgetListeners } from './closed-stream.ts';

test('listeners hear of the close, and are forgotten behind it', async () => {
  const stream = new PassThrough();
  const heard: string[] = [];
  stream.on('close', () => heard.push('closed')).on('made-up', () => heard.push('made up'));
  const closed = once(stream, 'close');
  stream.destroy();
  forgetListeners(stream);
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([stream.emit('made-up'), stream.eventNames(), stream.listenerCount('close')], [false, ['error'], 0]);
  assert.deepEqual(heard, ['closed']);
});

test('who listens afterwards is no error', async () => {
  const stream = new PassThrough();
  stream.on('close', () => forgetListeners(stream));
  stream.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  let heard = 0;
  stream.on('made-up', () => heard++).removeListener('close', () => undefined);
  assert.deepEqual([stream.emit('made-up'), heard], [true, 1]);
});

test('an error that comes behind all else is nobody’s', async () => {
  const stream = new PassThrough();
  stream.destroy();
  forgetListeners(stream);
  await new Promise((resolve) => setImmediate(resolve));
  assert.doesNotThrow(() => stream.emit('error', new Error('late')));
});
