import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HealthChecks } from './health.ts';

test('all are well; whoever asks hears of each, and which were left out', () => {
  const health = new HealthChecks({ ping: () => true, log: () => true });
  const all = (isVerbose: boolean, ...excluded: string[]): string => health.all({ isVerbose, excluded }).text;
  assert.equal(all(false), 'ok');
  assert.equal(all(true), '[+]ping ok\n[+]log ok\nhealthz check passed\n');
  assert.equal(
    all(true, 'ping', 'no'),
    '[+]ping excluded: ok\n[+]log ok\nwarn: some health checks cannot be excluded: no matches for "no"\nhealthz check passed\n',
  );
  assert.deepEqual([health.one('log'), health.one('no')], [{ status: 200, text: 'ok' }, undefined]);
});

test('one is not well: that is told, and why is not; figures tell how often', () => {
  let isWell = false;
  const health = new HealthChecks({ ping: () => true, syncloop: () => isWell });
  assert.equal(health.figures.size, 0);
  assert.deepEqual(health.all({ isVerbose: false, excluded: [] }), {
    status: 500,
    text: '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
  });
  assert.equal(health.one('syncloop')?.status, 500);
  assert.equal(health.all({ isVerbose: false, excluded: ['syncloop'] }).status, 200);
  isWell = true;
  assert.equal(health.all({ isVerbose: false, excluded: [] }).status, 200);
  const ping = { isWell: true, success: 3, error: 0 };
  assert.deepEqual(
    [...health.figures],
    [
      ['ping', ping],
      ['syncloop', { isWell: true, success: 1, error: 2 }],
    ],
  );
});
