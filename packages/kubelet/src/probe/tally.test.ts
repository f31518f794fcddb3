import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probe } from '@binnacle/api/core/v1';
import { countResult, initialTally } from './tally.ts';

const RESULTS = { s: 'success', f: 'failure', e: 'error' } as const;
/** The verdicts after each attempt, by first letter: `s`, `f`, `u`(nknown). */
function verdicts(attempts: string, probe: Probe, from = initialTally('startup')): string {
  let tally = from;
  return attempts
    .split('')
    .map((letter) => {
      tally = countResult(tally, probe, { kind: RESULTS[letter as 's'], output: '' });
      return tally.verdict[0];
    })
    .join('');
}

for (const [kind, passed, verdict] of [
  ['liveness', false, 'success'],
  ['readiness', false, 'failure'],
  ['startup', false, 'unknown'],
  ['liveness', true, 'success'],
  ['readiness', true, 'success'],
  ['startup', true, 'success'],
] as const)
  test(`before the first ${kind} probe${passed ? ', of one that had passed' : ''}`, () =>
    assert.deepEqual(initialTally(kind, passed), { verdict, last: undefined, run: 0 }));

for (const [name, probe, attempts, expected] of [
  ['one success is enough, three failures are', {}, 'sfffs', 'sssfs'],
  ['failures in a row', {}, 'sffsfff', 'sssssssf'.slice(0, 6) + 'f'],
  ['as many successes as asked for', { successThreshold: 2 }, 'sfss', 'uuus'],
  ['one failure is enough', { failureThreshold: 1 }, 'sfs', 'sfs'],
  ['errors are no attempts', {}, 'sffeef', 'sssssf'],
  ['errors break no row', { successThreshold: 2 }, 'ses', 'uus'],
  ['nothing but errors', {}, 'eee', 'uuu'],
  ['more of the same', { failureThreshold: 2 }, 'fffff', 'uffff'],
] as const)
  test(`attempts of a probe: ${name}`, () => assert.equal(verdicts(attempts, probe), expected));

test('what had passed keeps its verdict until enough fail', () =>
  assert.equal(verdicts('fff', {}, initialTally('readiness', true)), 'ssf'));
test('what is not ready stays so until enough pass', () =>
  assert.equal(verdicts('ss', { successThreshold: 2 }, initialTally('readiness')), 'fs'));
