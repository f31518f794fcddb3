/** Which classes of devices stand for extended resources. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceClass } from '../generated/resource-v1.ts';
import { ExtendedResourceClasses, resourcesOfClass } from './extended-resources.ts';

const GPU = 'example.com/gpu';

const classOf = (
  name: string,
  extendedResourceName?: string,
  creationTimestamp = '2026-01-01T00:00:00Z',
): DeviceClass => ({
  metadata: { name, creationTimestamp },
  spec: extendedResourceName === undefined ? {} : { extendedResourceName },
});

for (const [name, classes, resource, expected] of [
  ['none there', [], GPU, undefined],
  ['by the name that it says', [classOf('a', 'example.com/nic'), classOf('b', GPU)], GPU, 'b'],
  ['by its own name', [classOf('a', GPU), classOf('b')], 'deviceclass.resource.kubernetes.io/b', 'b'],
  ['by its own name, whatever else it says', [classOf('a', GPU)], 'deviceclass.resource.kubernetes.io/a', 'a'],
  ['not by its bare name', [classOf('gpu')], 'gpu', undefined],
  ['never for what Kubernetes knows itself', [classOf('a', 'cpu')], 'cpu', undefined],
  ['the younger one', [classOf('new', GPU, '2026-02-01T00:00:00Z'), classOf('a', GPU)], GPU, 'new'],
  ['the younger one, found last', [classOf('a', GPU), classOf('new', GPU, '2026-02-01T00:00:00Z')], GPU, 'new'],
  ['of two that are as old the first by name', [classOf('b', GPU), classOf('a', GPU)], GPU, 'a'],
] as const)
  test(`the class that stands for a resource: ${name}`, () => {
    assert.equal(new ExtendedResourceClasses(() => classes).of(resource)?.metadata.name, expected);
  });

test('which class it is changes when classes do', () => {
  const there = [classOf('a', GPU)];
  const classes = new ExtendedResourceClasses(() => there);
  assert.equal(classes.of(GPU)?.metadata.name, 'a');
  there.push(classOf('b', GPU, '2026-02-01T00:00:00Z'));
  classes.invalidate();
  assert.equal(classes.of(GPU)?.metadata.name, 'b');
  assert.deepEqual(resourcesOfClass(classOf('a', GPU)), [GPU, 'deviceclass.resource.kubernetes.io/a']);
  assert.deepEqual(resourcesOfClass(classOf('a')), ['deviceclass.resource.kubernetes.io/a']);
});

test('what a class is called as a resource besides by its own name changes when classes do', () => {
  let there = [classOf('a', GPU), classOf('b')];
  const classes = new ExtendedResourceClasses(() => there);
  assert.deepEqual(
    [classes.resourceOf('a'), classes.resourceOf('b'), classes.resourceOf('c')],
    [GPU, undefined, undefined],
  );
  there = [classOf('b', GPU)];
  classes.invalidate();
  assert.deepEqual([classes.resourceOf('a'), classes.resourceOf('b')], [undefined, GPU]);
});
