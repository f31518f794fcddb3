import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, missingEntries, platformOf } from './lock.ts';
import type { Lock } from './lock.ts';

test('the platform that a package is for, by its name', () => {
  const rows: [string, unknown][] = [
    ['@oxfmt/binding-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
    ['@oxfmt/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@esbuild/darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
    ['@oxlint/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['fsevents', undefined],
  ];
  for (const [name, platform] of rows) assert.deepEqual(platformOf(name), platform, name);
});

test('what a mirror left out is added once, in its place, and nothing else is touched', () => {
  const lock: Lock = {
    packages: {
      '': { license: 'Apache-2.0' },
      'node_modules/@t/linux-x64': { version: '1.0.0', optional: true },
      'node_modules/tool': {
        version: '1.0.0',
        dev: true,
        license: 'MIT',
        optionalDependencies: { '@t/darwin-x64': '1.0.0', '@t/linux-x64': '1.0.0', odd: '1.0.0' },
      },
    },
  };
  assert.deepEqual([...missingEntries(lock).keys()], ['node_modules/@t/darwin-x64', 'node_modules/odd']);
  const whole = completed(lock);
  assert.deepEqual(Object.keys(whole.packages), [
    '',
    'node_modules/@t/darwin-x64',
    'node_modules/@t/linux-x64',
    'node_modules/tool',
  ]);
  assert.deepEqual(whole.packages['node_modules/@t/darwin-x64'], {
    version: '1.0.0',
    os: ['darwin'],
    cpu: ['x64'],
    optional: true,
    dev: true,
    license: 'MIT',
  });
  assert.deepEqual([...missingEntries(whole).keys()], ['node_modules/odd'], 'a name without a platform stays npm’s');
});

test('a package nested in another one is found from there', () => {
  const lock: Lock = {
    packages: {
      'node_modules/a/node_modules/tool': { optionalDependencies: { 'tool-linux-x64': '2.0.0' } },
      'node_modules/a/node_modules/tool-linux-x64': { version: '2.0.0' },
    },
  };
  // Found beside it: `node_modules/a/node_modules/tool-linux-x64`.
  assert.equal(missingEntries(lock).size, 0);
});
