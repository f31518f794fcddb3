import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { LogListener } from './follow-log.ts';
import { showLog } from './show-log.ts';

function world() {
  const listeners: LogListener[] = [];
  const frames: (() => void)[] = [];
  const shown: string[] = [];
  const stop = showLog('/log', (log, error = '') => shown.push(log.view('').lines.join() + error), {
    follow: (_path, listener) => {
      listeners.push(listener);
      return () => undefined;
    },
    soon: (run) => frames.push(run),
  });
  const draw = (): void => {
    for (const run of frames.splice(0)) run();
  };
  return {
    shown,
    stop,
    draw,
    take: (text: string) => listeners[0]?.take(text),
    fail: () => listeners[0]?.fail('lost'),
  };
}

test('a log is shown once a frame, and what broke off at once', () => {
  const { shown, draw, take, fail } = world();
  take('a\n');
  take('b\n');
  draw();
  fail();
  deepEqual(shown, ['', 'a,b', 'a,blost']);
});

test('a log that nobody looks at any more is not shown in the place of the next', () => {
  const { shown, draw, take, stop } = world();
  take('a\n');
  stop();
  draw();
  deepEqual(shown, ['']);
});
