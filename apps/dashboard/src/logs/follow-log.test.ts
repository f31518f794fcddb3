import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamListener } from '../api/streams.ts';
import { followLog } from './follow-log.ts';

function follow() {
  const opened: StreamListener[] = [];
  const timers: { delayMs: number; run: () => void }[] = [];
  const told: string[] = [];
  const stop = followLog(
    '/log',
    {
      answered: () => told.push('200'),
      begin: () => told.push('begin'),
      take: (text) => told.push(text),
      fail: (message) => told.push(`! ${message}`),
    },
    {
      open: (_path, listener) => {
        opened.push(listener);
        return () => told.push('closed');
      },
      after: (delayMs, run) => {
        timers.push({ delayMs, run });
        return () => told.push('not waited for');
      },
    },
  );
  return { opened, timers, told, stop };
}

test('a container that has not started is asked again, then its log is there', () => {
  const f = follow();
  f.opened[0]?.status(400);
  f.opened[0]?.data('{"message":"waiting');
  f.opened[0]?.data(' to start"}');
  f.opened[0]?.ended();
  f.timers[0]?.run();
  f.opened[1]?.status(200);
  f.opened[1]?.data('hello\n');
  f.opened[1]?.ended();
  deepEqual(f.told, ['! waiting to start', '200', 'begin', 'hello\n']);
  deepEqual([f.opened.length, f.timers.length], [2, 1], 'a log that ends in peace is over');
});

test('what breaks off is read anew, and stays until something takes its place', () => {
  const f = follow();
  f.opened[0]?.data('a');
  f.opened[0]?.data('b');
  f.opened[0]?.ended('lost');
  f.timers[0]?.run();
  f.opened[1]?.ended('lost');
  f.timers[1]?.run();
  f.opened[2]?.data('abc');
  deepEqual(f.told, ['begin', 'a', 'b', '! lost', '! lost', 'begin', 'abc']);
  deepEqual(
    f.timers.map(({ delayMs }) => delayMs),
    [1000, 2000],
  );
});

test('who leaves is told nothing more', () => {
  const f = follow();
  f.stop();
  f.opened[0]?.ended('late');
  const g = follow();
  g.opened[0]?.ended('lost');
  g.stop();
  deepEqual([...f.told, ...g.told], ['closed', '! lost', 'not waited for']);
  deepEqual(f.timers, []);
});

test('what the viewer may not read is told once, and not asked for again', () => {
  const f = follow();
  f.opened[0]?.status(403);
  f.opened[0]?.data('{"message":"pods/log is forbidden"}');
  f.opened[0]?.ended();
  deepEqual([f.told, f.timers], [['! pods/log is forbidden'], []]);
});

test('a container that runs and says nothing is not said to be waiting any more', () => {
  const f = follow();
  f.opened[0]?.status(400);
  f.opened[0]?.data('{"message":"waiting to start"}');
  f.opened[0]?.ended();
  f.timers[0]?.run();
  f.opened[1]?.status(200);
  deepEqual(f.told, ['! waiting to start', '200']);
});
