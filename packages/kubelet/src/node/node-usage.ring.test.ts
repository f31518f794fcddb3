import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { PathError } from '../errors.ts';
import { readFilesystem, readNodeUsage } from './node-usage.ts';

const FILES = {
  stat: 'cpu  100 10 50 9000 900 5 5 30 0 0\ncpu0 1 1\nbtime 1700000000\n',
  meminfo:
    'MemTotal:       1000 kB\nMemFree:         400 kB\nMemAvailable:    700 kB\nInactive(anon):   50 kB\nInactive(file):  200 kB\n',
  'net/dev':
    'Inter-| Receive | Transmit\n face |bytes\n    lo: 1 1 1 1 1 1 1 1 1 1 1\n  eth0: 100 1 2 0 0 0 0 0 200 1 3 0 0 0 0 0\n veth1: 9 9 9 9 9 9 9 9 9 9 9\n',
  loadavg: '0.1 0.2 0.3 1/123 4567\n',
  'sys/kernel/pid_max': '32768\n',
};

async function inProc(files: { [path: string]: string }, body: (proc: string) => Promise<void>): Promise<void> {
  const proc = makeTestFolder().path;
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(proc, path, '..'), { recursive: true });
      await writeFile(join(proc, path), content);
    }
    await body(proc);
  } finally {
    await rm(proc, { recursive: true });
  }
}

test('a machine as /proc tells of it', () =>
  inProc(FILES, async (proc) => {
    const { filesystem, ...rest } = await readNodeUsage(proc, proc);
    assert.deepEqual(rest, {
      startedAt: 1_700_000_000_000,
      cpuUsageNanos: 2e9,
      memoryAvailableBytes: 700 * 1024,
      memoryUsageBytes: 600 * 1024,
      memoryWorkingSetBytes: 400 * 1024,
      interfaces: [{ name: 'eth0', rxBytes: 100, rxErrors: 2, txBytes: 200, txErrors: 3 }],
      pids: 123,
      maxPids: 32_768,
    });
    assert.ok((filesystem?.capacityBytes ?? 0) > (filesystem?.availableBytes ?? 0));
  }));

test('this machine', async () => {
  const { cpuUsageNanos, memoryWorkingSetBytes, memoryUsageBytes } = await readNodeUsage('/');
  assert.ok(cpuUsageNanos > 0 && memoryWorkingSetBytes > 0 && memoryWorkingSetBytes <= memoryUsageBytes);
});

test('what is no such file is told', () =>
  inProc({ ...FILES, meminfo: 'nothing' }, (proc) => assert.rejects(readNodeUsage(proc, proc), PathError)));

test('the disk that a folder lies on is told from others; a folder that is not there has none', async () => {
  const [root, tmp, proc, none] = await Promise.all(['/', tmpdir(), '/proc', '/no/such/folder'].map(readFilesystem));
  const { filesystem } = await readNodeUsage('/');
  assert.deepEqual([root?.usage.capacityBytes, none], [filesystem?.capacityBytes, undefined]);
  assert.notEqual(proc?.device, root?.device);
  assert.match(tmp?.device ?? '', /^[0-9]+$/);
});
