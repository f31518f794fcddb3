import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import { FlowForgetter } from './forget-flows.ts';

const flows = (from: number, count: number): string[][] =>
  Array.from({ length: count }, (_, at) => [...'-D -f ipv4 -p udp --reply-src'.split(' '), `10.1.0.${from + at}`]);

test('a change waits for a few of a thousand flows: the rest is forgotten after it, each once', async () => {
  const asked: string[] = [];
  let gate = Promise.resolve();
  const forgetter = new FlowForgetter(async (command) => {
    if (command.includes('-L')) return '';
    asked.push(command.at(-1) ?? '');
    await gate;
    return '';
  }, silentLogger);
  const held = Promise.withResolvers<void>();
  await forgetter.forget(flows(0, 0));
  const first = forgetter.forget(flows(0, 200));
  while (asked.length < 16) await Promise.resolve();
  gate = held.promise;
  await first;
  assert.ok(asked.length <= 17, `${asked.length}`);
  gate = Promise.resolve();
  await forgetter.forget(flows(100, 100));
  held.resolve();
  while (asked.length < 216) await Promise.resolve();
  assert.equal(new Set(asked).size, 200);
  assert.equal(asked.length, 216, 'what was waited for, and what was kept for later, once');
});

test('without the tool nothing is kept for later', async () => {
  let asked = 0;
  const forgetter = new FlowForgetter(async () => {
    asked++;
    throw new NetworkError('cannot run conntrack: spawn ENOENT');
  }, silentLogger);
  await forgetter.forget(flows(0, 100));
  await forgetter.forget(flows(0, 100));
  assert.equal(asked, 1);
});
