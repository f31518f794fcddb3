import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { measurePressure } from './pressure.ts';

test('this machine is measured; a fake one is short of memory and process ids; none is unknown', async () => {
  const folder = makeTestFolder().path;
  try {
    const own = await measurePressure('/');
    for (const value of Object.values(own)) assert.equal(typeof value, 'boolean');
    await mkdir(join(folder, 'sys/kernel'), { recursive: true });
    await writeFile(join(folder, 'meminfo'), 'MemTotal: 8 kB\nMemAvailable:   102399 kB\n');
    await writeFile(join(folder, 'sys/kernel/pid_max'), '400\n');
    await writeFile(join(folder, 'loadavg'), '0.1 0.1 0.1 1/400 77\n');
    assert.deepEqual(await measurePressure('/', folder), { ...own, memory: true, pid: true });
    await writeFile(join(folder, 'meminfo'), 'MemAvailable:   102400 kB\n');
    assert.equal((await measurePressure('/', folder)).memory, false);
    assert.deepEqual(await measurePressure('/no/such', '/no/such'), {
      memory: 'unknown',
      disk: 'unknown',
      pid: 'unknown',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
