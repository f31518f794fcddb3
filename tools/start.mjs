// `npm start -- ARGS`: sets the machine up, then runs `binnacle up ARGS`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureDebianPackages, ensureNpmPackages, root, RUNTIME_PACKAGES } from './setup/setup.mjs';

const args = process.argv.slice(2);
const node = ensureNpmPackages();
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
const child = spawn(node, [join(root, 'apps/binnacle/launch.mjs'), 'up', ...args], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // A terminal sends Ctrl-C to the child as well; a signal sent to us alone is passed on.
  process.on(signal, () => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
