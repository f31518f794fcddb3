// Plain JavaScript for any Node from 18 on: it runs before the pinned Node is there.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the house. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Debian packages by what they are for; the file shows that a package is there. */
export const RUNTIME_PACKAGES = [
  ['containerd', '/usr/bin/containerd'],
  ['runc', '/usr/sbin/runc'],
  ['containernetworking-plugins', '/usr/lib/cni/bridge'],
  ['iptables', '/usr/sbin/iptables'],
  ['nftables', '/usr/sbin/nft'],
  ['busybox-static', '/bin/busybox'],
];
export const TEST_PACKAGES = [
  ['etcd-server', '/usr/bin/etcd'],
  ['etcd-client', '/usr/bin/etcdctl'],
  ['nghttp2-client', '/usr/bin/h2load'],
];

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (done.error) throw done.error;
  return done.status ?? 1;
}

/** Installs the npm packages when they are missing or older than the lock file. Returns the Node to go on with. */
export function ensureNpmPackages() {
  const marker = join(root, 'node_modules/.package-lock.json');
  const lock = join(root, 'package-lock.json');
  const fresh = existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs;
  if (!fresh) {
    say('installing npm packages');
    // Not `npm ci`: where a registry mirror lacks the optional binaries of other platforms, it refuses the lock file.
    if (run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']) !== 0) {
      say('npm install failed');
      process.exit(1);
    }
  }
  return findNode();
}

function findNode() {
  const pinned = join(root, 'node_modules/.bin/node');
  if (existsSync(pinned) && spawnSync(pinned, ['--version']).status === 0) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  say(`Binnacle needs Node 24 or later; this is ${process.version} and no pinned Node is installed for this platform`);
  process.exit(1);
}

function isDebian() {
  return existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/**
 * Installs missing Debian packages where that is possible (Debian, root, apt), saying so.
 * Returns the names of those that are still missing.
 */
export function ensureDebianPackages(packages) {
  const missing = () => packages.filter(([, file]) => !existsSync(file)).map(([name]) => name);
  const wanted = missing();
  if (wanted.length === 0) return [];
  if (process.platform !== 'linux' || !isDebian() || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return wanted;
  }
  say(`installing Debian packages: ${wanted.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted], {
      env,
      stdio: ['ignore', 'ignore', 2],
    });
  if (install() !== 0) {
    run('apt-get', ['update', '-qq'], { env });
    install();
  }
  return missing();
}
