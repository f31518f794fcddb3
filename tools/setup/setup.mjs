// Plain JavaScript for any Node from 18 on: it runs before the pinned Node is there.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the house. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where Node keeps what it has compiled of our sources: without it each process that starts strips their types anew for a second. */
export const compiledFolder = join(root, '.cache/compiled');

/** Debian packages by what they are for; the file shows that a package is there. */
export const RUNTIME_PACKAGES = [
  ['containerd', '/usr/bin/containerd'],
  ['runc', '/usr/sbin/runc'],
  ['containernetworking-plugins', '/usr/lib/cni/bridge'],
  ['iptables', '/usr/sbin/iptables'],
  ['nftables', '/usr/sbin/nft'],
  // Forgets the connections of UDP clients whose endpoint is gone.
  ['conntrack', '/usr/sbin/conntrack'],
  ['busybox-static', '/bin/busybox'],
];
export const TEST_PACKAGES = [
  ['etcd-server', '/usr/bin/etcd'],
  ['etcd-client', '/usr/bin/etcdctl'],
  ['nghttp2-client', '/usr/bin/h2load'],
  ['bind9-dnsutils', '/usr/bin/dig'],
  // A resolver that is none of glibc's: Alpine's images have it.
  ['musl-tools', '/usr/bin/musl-gcc'],
];

/** Of `npm run interop` alone: some 200 MB. Nothing starts by being installed. */
export const INTEROP_PACKAGES = [['docker.io', '/usr/sbin/dockerd']];

/** Of `npm run browser` alone: some 400 MB. */
export const BROWSER_PACKAGES = [['chromium', '/usr/bin/chromium']];

/**
 * Has a program judge what was typed before anything is made for it: with `--list` it says what it would do, and with 2 that
 * nobody can do that. Ends this process where that was all that was asked, or refused.
 */
export function lookFirst(node, program) {
  const args = process.argv.slice(2);
  const tells = args.some((arg) => ['--list', '--help', '-h'].includes(arg));
  const stdio = ['ignore', tells ? 'inherit' : 'ignore', 'inherit'];
  const { status } = spawnSync(node, [join(root, program), '--list', ...args], { cwd: root, stdio });
  if (tells || status !== 0) process.exit(status ?? 1);
}

const PARENT_LOOK_MS = 500;
const parent = process.ppid;

/**
 * Runs a program in place of this one: signals go to it, and its end is ours. npm sends those that it gets to a shell between us,
 * which ends of them and tells nobody: that it is gone is one too.
 */
export function handOver(command, args, env = process.env) {
  const child = spawn(command, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends Ctrl-C to the child as well; a signal sent to us alone is passed on.
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    const look = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(look);
      child.kill('SIGTERM');
    }, PARENT_LOOK_MS);
    look.unref();
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}

// A machine that has just started may be at its own updates.
const WAIT_FOR_LOCK = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];

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
    // On a fresh clone exactly what the lock file says; later only what changed, under programs that may be running from it.
    const verb = existsSync(marker) ? ['install', '--no-save'] : ['ci'];
    say(`installing npm packages (npm ${verb.join(' ')})`);
    const install = () => run('npm', [...verb, '--no-audit', '--no-fund', '--loglevel=error']);
    // A registry that fails once may be there a moment later.
    if (install() !== 0 && install() !== 0) {
      say(`npm ${verb[0]} failed`);
      process.exit(1);
    }
    const now = new Date();
    if (existsSync(marker)) utimesSync(marker, now, now);
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
    run('apt-get', [...WAIT_FOR_LOCK, 'install', '-y', '-qq', '--no-install-recommends', ...missing()], {
      env,
      stdio: ['ignore', 'ignore', 2],
    });
  if (install() !== 0) {
    run('apt-get', [...WAIT_FOR_LOCK, 'update', '-qq'], { env });
    install();
  }
  return missing();
}
