import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { UnknownControllerError } from './errors.ts';
import { NOT_RUN_HERE, selectControllers } from './select-controllers.ts';

const KNOWN = ['job-controller', 'deployment-controller', 'garbage-collector-controller'];

for (const [name, list, selected] of [
  ['all', ['*'], KNOWN],
  ['none without a star', [], []],
  ['all but one', ['*', '-job-controller'], ['deployment-controller', 'garbage-collector-controller']],
  ['only these, in the known order', ['garbage-collector-controller', 'job-controller'], [KNOWN[0], KNOWN[2]]],
  ['an older name', ['deployment'], ['deployment-controller']],
  ['an older name, not', ['-deployment', '*'], [KNOWN[0], KNOWN[2]]],
  ['what is said first holds', ['-job', 'job', '*'], [KNOWN[1], KNOWN[2]]],
] as const) {
  test(name, () => assert.deepEqual(selectControllers(list, KNOWN), selected));
}

for (const [name, list, selected] of [
  ['what is off by default is not in all', ['*'], [KNOWN[1], KNOWN[2]]],
  ['unless it is named', ['*', 'job-controller'], KNOWN],
] as const) {
  test(name, () => assert.deepEqual(selectControllers(list, KNOWN, ['job-controller']), selected));
}

test('what upstream has and does nothing here may be named', () => {
  for (const name of NOT_RUN_HERE.keys()) {
    assert.deepEqual(selectControllers([name], KNOWN), []);
    assert.deepEqual(selectControllers(['*', `-${name}`], KNOWN), KNOWN);
  }
});

test('an unknown name is refused, prototype names too', () => {
  for (const name of ['nonsense', '-nonsense', 'constructor', '']) {
    assert.throws(() => selectControllers(['*', name], KNOWN), UnknownControllerError, name);
  }
});
