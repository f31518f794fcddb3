import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImagePullError } from '../errors.ts';
import type { Bench } from './bench.ts';
import { plainSandbox } from './harness.ts';

export function imageTests(bench: Bench): void {
  test('an image that is there has an id, tags and a size, by name and by id', async () => {
    const { runtime, harness } = bench;
    const status = await runtime.imageStatus(harness.image);
    assert.match(status?.id ?? '', /^sha256:[0-9a-f]{64}$/);
    assert.ok(
      status?.tags.some((tag) => tag.endsWith(harness.image)),
      `tags ${status?.tags.join(' ')}`,
    );
    assert.ok((status?.sizeBytes ?? 0) > 0);
    assert.deepEqual(await runtime.imageStatus(status?.id ?? ''), status);
    assert.ok((await runtime.listImages()).some((image) => image.id === status?.id));
  });

  test('one that is nowhere is undefined, and its pull an error', async () => {
    const { runtime, harness } = bench;
    const { name, podAnnotations } = harness.absentImage;
    const sandbox = plainSandbox(harness, bench.newUid(), { annotations: podAnnotations ?? {} });
    assert.equal(await runtime.imageStatus(name, sandbox), undefined);
    await assert.rejects(runtime.pullImage(name, sandbox), ImagePullError);
    assert.equal(await runtime.imageStatus(`sha256:${'0'.repeat(64)}`), undefined);
  });

  test('it tells on which disk images lie', async () => {
    const { runtime, harness } = bench;
    const { images, layers = images } = (await runtime.filesystems?.()) ?? {};
    const within = images === undefined ? undefined : `${images.folder}/`.startsWith(`${harness.stateFolder}/`);
    assert.deepEqual(
      [within, layers?.folder],
      harness.stateFolder === undefined ? [undefined, undefined] : [true, images?.folder],
    );
  });

  test('an image is removed; removing it again succeeds', async () => {
    const { runtime, harness } = bench;
    const present = await runtime.imageStatus(harness.spareImage);
    assert.ok(present !== undefined);
    await runtime.removeImage(harness.spareImage);
    await runtime.removeImage(harness.spareImage);
    assert.equal(await runtime.imageStatus(harness.spareImage), undefined);
    assert.ok(!(await runtime.listImages()).some((image) => image.id === present.id));
  });
}
