// `npm run bench -- [--json] [--list] [ROW…]`: builds the package, then measures it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  ensureDebianPackages,
  ensureNpmPackages,
  handOver,
  lookFirst,
  root,
  RUNTIME_PACKAGES,
  TEST_PACKAGES,
} from './setup/setup.mjs';

const node = ensureNpmPackages();
lookFirst(node, 'apps/bench/src/main.ts');
const missing = ensureDebianPackages([...RUNTIME_PACKAGES, ...TEST_PACKAGES]);
if (missing.length > 0) process.stderr.write(`bench: missing Debian packages: ${missing.join(' ')}\n`);
const built = spawnSync(node, ['tools/release/build.ts'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);
handOver(node, [join(root, 'apps/bench/src/main.ts'), ...process.argv.slice(2)]);
