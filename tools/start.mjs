// `npm start -- ARGS`: sets the machine up, then runs `binnacle up ARGS`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDebianPackages, ensureNpmPackages, handOver, root, RUNTIME_PACKAGES } from './setup/setup.mjs';

const args = process.argv.slice(2);
const node = ensureNpmPackages();
const launcher = join(root, 'apps/binnacle/launch.mjs');
if (args.includes('--help') || args.includes('-h')) {
  process.exit(spawnSync(node, [launcher, 'up', ...args], { stdio: 'inherit' }).status ?? 1);
}
const simulated = args.some((a) => a === '--runtime=simulated') || args[args.indexOf('--runtime') + 1] === 'simulated';
if (!simulated) {
  const missing = ensureDebianPackages(RUNTIME_PACKAGES);
  if (missing.length > 0) {
    process.stderr.write(
      `set-up: no container runtime (missing: ${missing.join(' ')}; they are installed on Debian as root).\n` +
        'set-up: going on with simulated nodes: pods are scheduled and reported as running, but no process runs.\n',
    );
  }
}

/** The image of examples/, built once from this machine's busybox, so that the README's lines run as they stand. */
function exampleImage() {
  const file = join(root, '.cache/frontend.tar');
  if (existsSync(file)) return ['--image', file];
  mkdirSync(join(root, '.cache'), { recursive: true });
  const built = spawnSync(node, [launcher, 'image', 'build-example', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  return built.status === 0 ? ['--image', file] : [];
}

// The dashboard's page; without it the cluster comes up all the same.
spawnSync(node, [join(root, 'tools/release/page.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });

// Simulated nodes have every image.
const image = simulated || !existsSync('/usr/bin/containerd') ? [] : exampleImage();
// As programs start themselves (apps/binnacle/src/host/few-heaps.ts).
const env = { MALLOC_ARENA_MAX: '2', ...process.env };
handOver(node, [launcher, 'up', ...args, ...image], env);
