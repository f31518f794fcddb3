import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './logger.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

function collect(verbosity: number): { lines: string[]; log: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const clock = new VirtualClock(Date.UTC(2026, 10, 20, 8, 9, 10, 123));
  const log = createLogger({ component: 'kubelet', verbosity, clock, pid: 42, write: (l) => void lines.push(l) });
  return { lines, log };
}

test('one line per entry in the manner of klog', () => {
  const { lines, log } = collect(2);
  log.info(2, 'Synced "pod"', { pod: 'default/a', took: 3 });
  assert.deepEqual(lines, ['I1120 08:09:10.123000      42 kubelet] "Synced \\"pod\\"" pod="default/a" took=3\n']);
});

test('levels above the verbosity are silent', () => {
  const { lines, log } = collect(2);
  log.info(3, 'hidden');
  assert.equal(log.enabled(3), false);
  assert.deepEqual(lines, []);
});

test('the level may change, of all that were named from one logger', () => {
  const { lines, log } = collect(0);
  const kubelet = log.named('kubelet');
  const pods = kubelet.named('pods');
  assert.ok(pods.level !== undefined);
  pods.level.verbosity = 4;
  for (const one of [log, kubelet, pods]) {
    assert.equal(one.enabled(4), true);
    one.info(4, 'heard');
    one.info(5, 'hidden');
  }
  assert.equal(lines.length, 3);
  pods.level.verbosity = 0;
  log.info(1, 'hidden');
  assert.equal(lines.length, 3);
});

test('an error shows its message and its cause', () => {
  const { lines, log } = collect(0);
  log.named('store').error(new Error('commit failed', { cause: new Error('disk full') }), 'Write refused');
  assert.deepEqual(lines, ['E1120 08:09:10.123000      42 store] "Write refused" err="commit failed: disk full"\n']);
});
