import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeError } from '../errors.ts';
import { ending, readScript } from './script.ts';

const D = 'simulated.binnacle.dev';

test('durations', () => {
  for (const [text, ms] of [
    ['200ms', 200],
    ['5s', 5000],
    ['1m30s', 90_000],
    ['1.5s', 1500],
    ['0s', 0],
    ['0', 0],
    ['.5s', 500],
    ['1500us', 1.5],
  ] as const) {
    assert.equal(readScript({ [`${D}/start-delay`]: text }).startDelayMs, ms, text);
  }
});

test('pods without annotations of ours share one script', () => {
  assert.equal(readScript({}), readScript({ 'example.com/exit-code': '1', plain: 'x' }, 'web'));
});

test("a container's own setting wins, another container's does not count", () => {
  const annotations = {
    [`${D}/exit-after`]: '5s',
    [`${D}/exit-code`]: '3',
    [`web.${D}/exit-code`]: '4',
    [`other.${D}/start-failure`]: 'boom',
    [`not${D}/nonsense`]: 'x',
  };
  const web = readScript(annotations, 'web');
  assert.deepEqual([web.exitAfterMs, web.exitCode, web.startFailure], [5000, 4, '']);
  assert.deepEqual(
    [readScript(annotations, 'other').exitCode, readScript(annotations, 'other').startFailure],
    [3, 'boom'],
  );
  assert.equal(readScript(annotations).exitCode, 3);
});

test('a misspelt fault is refused', () => {
  for (const [name, key, value] of [
    ['unknown setting', `${D}/exit-aftr`, '5s'],
    ['bad duration', `${D}/start-delay`, 'soon'],
    ['duration without a unit', `${D}/start-delay`, '5'],
    ['no duration', `${D}/start-delay`, ''],
    ['duration below nothing', `${D}/start-delay`, '-1s'],
    ['duration with a space', `${D}/start-delay`, '5 s'],
    ['bad count', `${D}/exit-code`, '-1'],
    ['bad flag', `web.${D}/ignore-stop`, 'yes'],
  ] as const) {
    assert.throws(() => readScript({ [key]: value }), RuntimeError, name);
  }
});

test('work that comes to an end does so by itself, unless scripted', () => {
  const plain = readScript({});
  assert.equal(ending(plain, undefined), plain);
  assert.equal(ending(plain, 5).exitAfterMs, 5);
  assert.equal(ending(readScript({ 'simulated.binnacle.dev/exit-after': '9s' }), 5).exitAfterMs, 9_000);
  assert.equal(ending(readScript({ 'simulated.binnacle.dev/exit-code': '3' }), 5).exitCode, 3);
});
