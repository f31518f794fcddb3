// `npm test`: sets the machine up, then runs the tiers with the pinned Node. In CI nothing may be missing.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInteropPrograms } from './setup/interop.mjs';
import {
  BROWSER_PACKAGES,
  compiledFolder,
  ensureDebianPackages,
  ensureNpmPackages,
  handOver,
  INTEROP_PACKAGES,
  lookFirst,
  root,
  RUNTIME_PACKAGES,
  TEST_PACKAGES,
} from './setup/setup.mjs';

const node = ensureNpmPackages();
lookFirst(node, 'tools/tiers/main.ts');
const isBrowser = process.argv.includes('browser');
const isInterop = process.argv.includes('interop');
const more = [...(isBrowser ? BROWSER_PACKAGES : []), ...(isInterop ? INTEROP_PACKAGES : [])];
const missing = ensureDebianPackages([...RUNTIME_PACKAGES, ...TEST_PACKAGES, ...more]);
if (missing.length > 0) {
  process.stdout.write(`test: missing Debian packages: ${missing.join(' ')}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
// Who serves the dashboard in a test, a browser or not, finds its page whatever else is run before.
spawnSync(node, [join(root, 'tools/release/page.ts')], { cwd: root, stdio: 'inherit' });
if (isInterop) ensureInteropPrograms();
const env = {
  NODE_COMPILE_CACHE: compiledFolder,
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
};
handOver(node, [join(root, 'tools/tiers/main.ts'), ...process.argv.slice(2)], env);
