import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReview, reviewVersion } from './conversion-review.ts';

test('the first version that is spoken here', () => {
  assert.equal(reviewVersion(['v2', 'v1beta1', 'v1']), 'v1beta1');
  assert.equal(reviewVersion(['v2']), undefined);
});

const GOOD = { uid: 'u', result: { status: 'Success' }, convertedObjects: [1] };

test('of v1beta1 neither kind nor uid is looked at', () => {
  const asked = { version: 'v1beta1', uid: 'u', count: 1 };
  assert.deepEqual(readReview({ response: { ...GOOD, uid: 'other' } }, asked), [1]);
  assert.throws(() => readReview({}, asked), { message: 'no response provided' });
});

for (const [name, answer] of [
  ['a text', 'x'],
  ['nothing', null],
  ['a list', []],
] as const) {
  test(`no review: ${name}`, () => {
    assert.throws(() => readReview(answer, { version: 'v1', uid: 'u', count: 1 }), {
      message: 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
    });
  });
}

test('objects that are no list are none', () => {
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
  const response = { ...GOOD, convertedObjects: { length: 3 } };
  assert.deepEqual(readReview({ ...review, response }, { version: 'v1', uid: 'u', count: 1 }), []);
});
