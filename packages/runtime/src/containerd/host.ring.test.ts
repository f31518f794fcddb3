import assert from 'node:assert/strict';
import { access, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { canLimitHugePages, detectContainerd, readHostFacts } from './host.ts';

test('what is found can be run, what is not is named', async () => {
  const detection = await detectContainerd();
  for (const [name, path] of Object.entries(detection.found)) {
    await access(path, constants.X_OK).catch(() => assert.fail(`${name} at ${path}`));
  }
  assert.equal(detection.usable, detection.missing.length === 0);
});

test("the machine's facts fit each other", async () => {
  const { found } = await detectContainerd();
  const facts = await readHostFacts('/tmp', found);
  assert.ok(['overlayfs', 'native'].includes(facts.snapshotter));
  const pureV2 = await access('/sys/fs/cgroup/cgroup.controllers').then(
    () => true,
    () => false,
  );
  assert.ok(!(pureV2 && facts.hybridCgroups));
});

test('huge pages can be limited by a hierarchy of their own, or in the only one', async () => {
  const mount = makeTestFolder().path;
  try {
    assert.equal(await canLimitHugePages(mount), false);
    await writeFile(join(mount, 'cgroup.controllers'), 'cpu hugetlb\n');
    assert.equal(await canLimitHugePages(mount), true);
    await writeFile(join(mount, 'cgroup.controllers'), 'cpu\n');
    assert.equal(await canLimitHugePages(mount), false);
    await mkdir(join(mount, 'hugetlb'));
    assert.equal(await canLimitHugePages(mount), true);
  } finally {
    await rm(mount, { recursive: true });
  }
});
