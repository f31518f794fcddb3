import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { LogListener } from './follow-log.ts';
import { showLogs } from './show-log.ts';

function world(paths: readonly string[] = ['/log'], isTimed = false) {
  const listeners: LogListener[] = [];
  const frames: (() => void)[] = [];
  const shown: string[] = [];
  const stopped: string[] = [];
  const stop = showLogs(
    { paths, isTimed, showsTimes: !isTimed },
    (log, errors) =>
      shown.push(
        log
          .view('')
          .lines.map(({ source, text }) => (paths.length > 1 ? `${source}:` : '') + text)
          .join() + [...errors].map(([source, error]) => `!${source} ${error}`).join(''),
      ),
    {
      follow: (path, listener) => {
        listeners.push(listener);
        return () => stopped.push(path);
      },
      soon: (run) => frames.push(run),
    },
  );
  const draw = (): void => {
    for (const run of frames.splice(0)) run();
  };
  return { shown, stop, stopped, draw, frames, of: (source: number) => listeners[source] };
}

test('a log is shown once a frame, and what broke off stays until something takes its place', () => {
  const { shown, draw, of, frames } = world();
  of(0)?.begin();
  of(0)?.take('a\n');
  of(0)?.take('b\n');
  equal(frames.length, 1);
  draw();
  of(0)?.fail('lost');
  draw();
  of(0)?.begin();
  of(0)?.take('a\n');
  draw();
  deepEqual(shown, ['', 'a,b', 'a,b!0 lost', 'a']);
});

test('a log that nobody looks at any more is not shown in the place of the next', () => {
  const { shown, draw, of, stop, stopped } = world(['/a', '/b']);
  of(0)?.take('a\n');
  stop();
  draw();
  deepEqual([shown, stopped], [[''], ['/a', '/b']]);
});

test('several are shown together, each with its own fate', () => {
  const { shown, draw, of } = world(['/a', '/b'], true);
  of(0)?.begin();
  of(0)?.take('2026-11-22T10:00:01Z one\n2026-11-22T10:00:03Z three\n');
  of(1)?.fail('waiting to start');
  draw();
  of(1)?.begin();
  of(1)?.take('2026-11-22T10:00:02Z two\n');
  draw();
  of(0)?.begin();
  of(0)?.take('2026-11-22T10:00:04Z four\n');
  draw();
  deepEqual(shown, ['', '0:one,0:three!1 waiting to start', '0:one,1:two,0:three', '1:two,0:four']);
});

test('why a log was not there is not said any more once it is, however little is in it', () => {
  const { shown, draw, of } = world();
  of(0)?.fail('waiting to start');
  draw();
  of(0)?.answered();
  draw();
  deepEqual(shown, ['', '!0 waiting to start', '']);
});
