/**
 * `npm run guest`: the tests that need another kernel (IPVS), on a machine that qemu plays. Debian's cloud
 * kernel, busybox, the tools, our sources and the program as it is released become its memory disk; nothing of this
 * machine is touched. A quarter of an hour, most of it emulation; `npm run guest -- ipvs` one part of it.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { refuseUnknown, typed } from '../setup/usage.ts';
import { initProgram, MODULES } from './guest-init.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACE = join(ROOT, '.cache/guest');
const DISK = join(PLACE, 'disk');
const KERNEL = process.env['GUEST_KERNEL'] ?? '6.1.0-56-cloud-amd64';
/** What runs in it, beside the program as it is released: rooms without dependencies of others. */
const PACKAGES = ['base', 'network'];
/** By the name that a run of one takes. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['ipvs', 'testing/ipvs-on-guest'],
  ['two-clusters', 'testing/two-clusters-on-guest'],
  ['proxy', 'testing/proxy-on-guest'],
  // The same suite by the other drivers, on the same kernel.
  ['nftables', 'nftables/nftables.ring.test'],
  ['iptables', 'iptables/iptables-nft.ring.test'],
]);
const TOOLS = ['ip', 'bridge', 'conntrack', 'ipset', 'ipvsadm', 'nft'];
/** A quarter of an hour where nothing else runs; an hour was seen beside other work. */
const GUEST_MINUTES_MAX = 75;
const {
  flags: { tests },
  words,
} = typed({
  text: `npm run guest [-- PART…] [--tests PATTERN]: the tests that need another kernel, on a machine that qemu plays
  PART             ${[...PARTS.keys()].join(', ')}; all of them where none is named
  --tests PATTERN  those alone that have it in their names; a regular expression`,
  flags: { tests: 'string' },
  refuse: (all) => refuseUnknown(all, [...PARTS.keys()]),
});
const tried = new Map([...PARTS].filter(([part]) => words.length === 0 || words.includes(part)));
const PATTERN = (typeof tests === 'string' ? tests : '.').replaceAll("'", '.');
const TESTS = [...tried.values()].map((path) => `packages/network/src/${path}.ts`);

function output(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Debian's kernel for clouds, unpacked once. */
function unpackKernel(): string {
  const unpacked = join(PLACE, 'kernel');
  if (existsSync(join(unpacked, `boot/vmlinuz-${KERNEL}`))) return unpacked;
  mkdirSync(PLACE, { recursive: true });
  execFileSync('apt-get', ['download', '-q', `linux-image-${KERNEL}`], {
    cwd: PLACE,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [archive] = readdirSync(PLACE).filter((name) => name.endsWith('.deb'));
  execFileSync('dpkg', ['-x', join(PLACE, archive ?? ''), unpacked]);
  execFileSync('depmod', ['-b', unpacked, KERNEL]);
  return unpacked;
}

function copyTool(program: string, name = basename(program)): void {
  const to = join(DISK, 'sbin', name);
  copyFileSync(program, to);
  for (const [library] of output('ldd', program).matchAll(/\/[^ ]+/g)) {
    const place = join(DISK, library);
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(library, place);
  }
}

function copyTools(): void {
  for (const tool of TOOLS) copyTool(output('which', tool).trim());
  copyTool(output('readlink', '-f', '/usr/sbin/iptables-nft').trim(), 'xtables-nft-multi');
  for (const tool of ['iptables', 'ip6tables', 'iptables-nft', 'ip6tables-nft'])
    for (const verb of ['', '-save', '-restore'])
      symlinkSync('xtables-nft-multi', join(DISK, 'sbin', `${tool}${verb}`));
  const plugins = '/usr/lib/x86_64-linux-gnu/xtables';
  cpSync(plugins, join(DISK, plugins), { recursive: true, dereference: true });
  copyTool(process.execPath, 'node');
  copyFileSync('/bin/busybox', join(DISK, 'bin/busybox'));
  for (const applet of output('/bin/busybox', '--list').trim().split('\n'))
    // The programs of these names are the real ones.
    if (!['busybox', 'ip', ...TOOLS].includes(applet)) symlinkSync('busybox', join(DISK, 'bin', applet));
}

function copySources(): void {
  if (tried.has('proxy')) {
    execFileSync(process.execPath, ['tools/release/build.ts'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
    cpSync(join(ROOT, 'dist/package'), join(DISK, 'w/binnacle'), { recursive: true });
  }
  for (const name of PACKAGES) {
    for (const part of ['package.json', 'src'])
      cpSync(join(ROOT, 'packages', name, part), join(DISK, 'w/packages', name, part), { recursive: true });
    mkdirSync(join(DISK, 'w/node_modules/@binnacle'), { recursive: true });
    symlinkSync(`../../packages/${name}`, join(DISK, 'w/node_modules/@binnacle', name));
  }
}

function copyModules(unpacked: string): void {
  const order = new Set<string>();
  for (const name of MODULES) {
    const told = output('modprobe', '-d', unpacked, '-S', KERNEL, '--show-depends', name);
    for (const [, path = ''] of told.matchAll(/^insmod (\S+)/gm)) order.add(path);
  }
  for (const path of order) copyFileSync(path, join(DISK, 'lib/m', basename(path)));
  writeFileSync(join(DISK, 'lib/m/order'), [...order].map((path) => `${basename(path)}\n`).join(''));
}

function makeDisk(unpacked: string): string {
  rmSync(DISK, { recursive: true, force: true });
  for (const folder of ['bin', 'sbin', 'proc', 'sys', 'dev', 'lib/m', 'etc', 'run', 'tmp', 'w'])
    mkdirSync(join(DISK, folder), { recursive: true });
  copyTools();
  copyModules(unpacked);
  copySources();
  // ipset and iptables know protocols by their names.
  writeFileSync(
    join(DISK, 'etc/protocols'),
    'icmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\nipv6-icmp 58 IPv6-ICMP\nsctp 132 SCTP\n',
  );
  writeFileSync(join(DISK, 'init'), initProgram(TESTS, PATTERN));
  chmodSync(join(DISK, 'init'), 0o755);
  const image = join(PLACE, 'disk.gz');
  execFileSync('sh', ['-c', `find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 > ${image}`], { cwd: DISK });
  return image;
}

/** Runs the machine until it is off; resolves with how its tests ended. */
async function runMachine(unpacked: string, image: string): Promise<number> {
  const machine = ['-machine', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '3072'];
  const quiet = ['-nographic', '-no-reboot', '-nic', 'none'];
  const boot = ['-kernel', join(unpacked, `boot/vmlinuz-${KERNEL}`), '-initrd', image];
  const words = ['-append', 'console=ttyS0 panic=-1 quiet rdinit=/init'];
  const child = spawn('qemu-system-x86_64', [...machine, ...quiet, ...boot, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: GUEST_MINUTES_MAX * 60_000,
    killSignal: 'SIGKILL',
  });
  let ended = 1;
  let passed = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(`${line.trimEnd()}\n`);
    const [, code] = /^GUEST ENDS (\d+)/.exec(line) ?? [];
    if (code !== undefined) ended = Number(code);
    passed += Number(/ℹ pass (\d+)/.exec(line)?.[1] ?? 0);
  }
  if (ended === 0 && passed === 0) process.stderr.write(`guest: no test has ${PATTERN} in its name\n`);
  return passed === 0 ? 1 : ended;
}

function missingTools(): readonly string[] {
  const wanted = ['qemu-system-x86_64', 'depmod', 'modprobe', 'busybox', ...TOOLS];
  return wanted.filter((tool) => !isThere(tool));
}

function isThere(tool: string): boolean {
  try {
    output('which', tool);
    return true;
  } catch {
    return false;
  }
}

const missing = missingTools();
if (missing.length > 0) {
  process.stderr.write(`guest: missing ${missing.join(', ')} (Debian: qemu-system-x86 kmod ipvsadm ipset)\n`);
  process.exit(1);
}
const unpacked = unpackKernel();
process.exitCode = await runMachine(unpacked, makeDisk(unpacked));
