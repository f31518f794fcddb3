import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchedulerConfigError } from '../errors.ts';
import { argumentsOf, noArguments } from './arguments.ts';

const DEFAULTS = { weight: 1, name: 'a' };
for (const [name, args, wanted] of [
  ['none', undefined, DEFAULTS],
  ['some', { weight: 2 }, { weight: 2, name: 'a' }],
  ['all', { weight: 2, name: 'b' }, { weight: 2, name: 'b' }],
  ['nothing', null, undefined],
  ['a text', 'weight: 2', undefined],
  ['a number', 0, undefined],
] as const)
  test(`arguments of a plugin: ${name}`, () => {
    if (wanted === undefined) assert.throws(() => argumentsOf<object>(args, DEFAULTS), SchedulerConfigError);
    else assert.deepEqual(argumentsOf<object>(args, DEFAULTS), wanted);
  });

test('a plugin that takes no arguments refuses them, empty ones too', () => {
  assert.equal(noArguments('Own', undefined), 'Own');
  assert.throws(() => noArguments('Own', {}), /plugin Own takes no arguments/);
});
