// `npm test`: check, then the contract rings (real etcd, disk, containerd), then whole-cluster tests with real kubectl.
// `npm test -- rings` or `npm test -- cluster` runs one part. In CI nothing may be skipped.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDebianPackages, ensureNpmPackages, root, RUNTIME_PACKAGES, TEST_PACKAGES } from './setup/setup.mjs';

const node = ensureNpmPackages();
const missing = ensureDebianPackages([...RUNTIME_PACKAGES, ...TEST_PACKAGES]);
if (missing.length > 0) {
  process.stdout.write(`test: missing Debian packages: ${missing.join(' ')}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
const testRunner = (patterns, timeout) => [
  '--test',
  '--test-concurrency=1',
  `--test-timeout=${timeout * 1000}`,
  '--test-reporter=spec',
  ...patterns,
];
const parts = {
  check: [node, ['tools/check.mjs']],
  rings: [node, testRunner(['packages/**/*.ring.test.ts'], 240)],
  cluster: [node, testRunner(['conformance/src/**/*.test.ts'], 300)],
};
const chosen = process.argv.slice(2).filter((a) => a in parts);
for (const [name, [command, args]] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const began = Date.now();
  const done = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' });
  process.stdout.write(
    `test: ${name} ${done.status === 0 ? 'ok' : 'FAILED'} after ${((Date.now() - began) / 1000).toFixed(0)} s\n`,
  );
  if (done.status !== 0) process.exit(1);
}
