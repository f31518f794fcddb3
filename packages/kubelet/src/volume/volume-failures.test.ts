import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VolumeError, VolumeUnprocessed, VolumesError, VolumeWait } from '../errors.ts';
import { VolumeFailures } from './volume-failures.ts';

/** What is thrown. */
function raised(failures: VolumeFailures, unmounted: readonly string[]): unknown {
  try {
    failures.raise(unmounted);
  } catch (error) {
    return error;
  }
  return undefined;
}

test('nothing went wrong', () => assert.equal(raised(new VolumeFailures(), ['v']), undefined));

test('mounts that failed: the first that may be tried again counts, and those that were tried are told', () => {
  const failures = new VolumeFailures();
  failures.mount(new VolumeError('a', 'A'), { retryMs: 4_000, isTold: false });
  failures.mount(new VolumeError('b', 'B'), { retryMs: 8_000, isTold: true });
  failures.others('w', new VolumeWait('w', 'W'));
  const error = raised(failures, ['a', 'b', 'w']);
  assert.ok(error instanceof VolumesError);
  assert.deepEqual([error.message, error.told, error.retryMs], ['A; B', ['B'], 4_000]);
});

test('what others have to mend is told as a whole, unless the pod has its volumes', () => {
  const failures = new VolumeFailures();
  failures.others('z', new VolumeWait('z', 'W'));
  failures.others('b', new VolumeUnprocessed('b', 'error processing PVC default/b: PVC is not bound'));
  failures.others('a', new VolumeUnprocessed('a', 'A'));
  const error = raised(failures, ['z', 'b', 'a']);
  assert.ok(error instanceof VolumesError);
  assert.equal(error.retryMs, 10_000);
  assert.deepEqual(error.told, [
    'Unable to attach or mount volumes: unmounted volumes=[a b z], unattached volumes=[z], failed to process volumes=[a b]: error processing PVC default/b: PVC is not bound; A',
  ]);
  assert.deepEqual((raised(failures, []) as VolumesError).told, []);
});

test('what is only waited for is told to nobody', () => {
  const failures = new VolumeFailures();
  const wait = new VolumeWait('z', 'W');
  failures.others('z', wait);
  assert.equal(raised(failures, ['z']), wait);
});
