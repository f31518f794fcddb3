// `npm run bench -- [--json] [--list] [ROW…]`: builds the package, then measures it.
import { spawnSync } from 'node:child_process';
import {
  ensureDebianPackages,
  ensureNpmPackages,
  lookFirst,
  root,
  RUNTIME_PACKAGES,
  TEST_PACKAGES,
} from './setup/setup.mjs';

const node = ensureNpmPackages();
lookFirst(node, 'apps/bench/src/main.ts');
const missing = ensureDebianPackages([...RUNTIME_PACKAGES, ...TEST_PACKAGES]);
if (missing.length > 0) process.stderr.write(`bench: missing Debian packages: ${missing.join(' ')}\n`);
for (const args of [['tools/release/build.ts'], ['apps/bench/src/main.ts', ...process.argv.slice(2)]]) {
  const done = spawnSync(node, args, { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
