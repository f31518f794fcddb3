/**
 * `node tools/setup/lock.ts [--check]`: makes package-lock.json name every optional platform package that its packages ask
 * for. A registry mirror that lacks the binaries of other platforms makes `npm install` leave them out, and `npm ci` then
 * refuses the lock file as out of step, on every machine. Only such packages are added: optional, and for one platform each.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { typed } from './usage.ts';

/** What this file reads of an entry of the lock file. */
export interface LockEntry {
  version?: string;
  cpu?: string | string[];
  dev?: boolean;
  libc?: string[];
  license?: string;
  optional?: boolean;
  os?: string | string[];
  optionalDependencies?: Record<string, string>;
}
export interface Lock {
  packages: Record<string, LockEntry>;
}

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/** What a platform package's name says of it (`@oxfmt/binding-linux-arm64-musl`); undefined where it says nothing. */
export function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.split(/[/-]/);
  const os = words.find((word) => OS.includes(word));
  const cpu = words.find((word) => CPU.includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  const library = words.at(-1) ?? '';
  if (os === 'linux' && library.startsWith('musl')) return { os: [os], cpu: [cpu], libc: ['musl'] };
  if (os === 'linux' && library.startsWith('gnu')) return { os: [os], cpu: [cpu], libc: ['glibc'] };
  return { os: [os], cpu: [cpu] };
}

/** Whether npm finds `name` from the package at `path`: beside it, or in any folder above. */
function isThere(packages: Lock['packages'], path: string, name: string): boolean {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    if (`${at}/node_modules/${name}` in packages) return true;
  }
  return `node_modules/${name}` in packages;
}

/** The entries that the lock file lacks by their path in it; undefined where the name tells no platform. */
export function missingEntries(lock: Lock): Map<string, LockEntry | undefined> {
  const missing = new Map<string, LockEntry | undefined>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isThere(lock.packages, path, name)) continue;
      const platform = platformOf(name);
      const added: LockEntry | undefined = platform && { version, ...platform, optional: true };
      if (added !== undefined && entry.dev === true) added.dev = true;
      if (added !== undefined && entry.license !== undefined) added.license = entry.license;
      missing.set(`node_modules/${name}`, added);
    }
  }
  return missing;
}

/** The lock file with those entries, in npm's order. */
export function completed(lock: Lock): Lock {
  const added = [...missingEntries(lock)].filter((pair): pair is [string, LockEntry] => pair[1] !== undefined);
  const all = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(all) };
}

function main(): void {
  const { flags } = typed({
    text: `node tools/setup/lock.ts [--check]: makes package-lock.json name the optional packages of all platforms
  --check  only says whether it does, with 1 where it does not`,
    flags: { check: 'boolean' },
  });
  const path = new URL('../../package-lock.json', import.meta.url);
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  if (!flags['check']) writeFileSync(path, `${JSON.stringify(completed(lock), null, 2)}\n`);
  const missing = [...missingEntries(JSON.parse(readFileSync(path, 'utf8')) as Lock)];
  if (missing.length === 0) return;
  process.exitCode = 1;
  const unknown = missing.filter(([, entry]) => entry === undefined).map(([name]) => name);
  if (unknown.length > 0) process.stdout.write(`lock: only a full registry can add ${unknown.join(', ')}\n`);
  else {
    process.stdout.write(
      `lock: package-lock.json lacks ${missing.length} optional packages (${missing[0]?.[0]} …), so that npm ci refuses it: run node tools/setup/lock.ts\n`,
    );
  }
}

if (import.meta.main) main();
