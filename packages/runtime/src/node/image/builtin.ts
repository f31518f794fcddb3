import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { RuntimeError } from '../../errors.ts';
import { type ImageConfig, writeOciArchive } from './oci-archive.ts';
import type { TarEntry } from './tar.ts';

const run = promisify(execFile);
const ENCODER = new TextEncoder();
const BUSYBOX = '/bin/busybox';
const CATATONIT = '/usr/bin/catatonit';
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The sandbox image that `startContainerd` imports by itself. */
export const PAUSE_IMAGE = 'binnacle.local/pause:1';

/** What goes into a busybox image beside the programs. */
export interface BusyboxOptions {
  readonly refs: readonly string[];
  /** More files, e.g. a page at `www/index.html`. */
  readonly files?: readonly TarEntry[];
  /** Default: `Cmd: ['sh']`. */
  readonly config?: ImageConfig;
}

/**
 * Builds an image from this machine's busybox (Debian's busybox-static) with a link per applet.
 * Answers with the manifest's digest. Throws RuntimeError when busybox is missing or not static.
 */
export async function buildBusyboxImage(out: string, options: BusyboxOptions): Promise<string> {
  const program = await readProgram(BUSYBOX, 'busybox-static');
  const { stdout } = await run(BUSYBOX, ['--list-full']);
  const applets = stdout.split('\n').filter((path) => path !== '' && path !== 'bin/busybox');
  const links: TarEntry[] = applets.map((path) => ({ kind: 'symlink', path, target: '/bin/busybox' }));
  const files: TarEntry[] = [
    ...directories([
      'bin',
      'dev',
      'etc',
      'home',
      'proc',
      'root',
      'sbin',
      'sys',
      'tmp',
      'usr',
      'usr/bin',
      'usr/sbin',
      'var',
    ]),
    { kind: 'directory', path: 'var/tmp', mode: 0o1777 },
    { kind: 'file', path: 'bin/busybox', content: program, mode: 0o755 },
    ...links.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n'),
    text('etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    ...(options.files ?? []),
  ];
  const config = { Env: [PATH], Cmd: ['sh'], ...options.config };
  return await writeOciArchive({ refs: options.refs, files, config }, out);
}

/**
 * Builds the sandbox image: a program that waits and reaps, catatonit where it is installed, else a busybox shell.
 * Throws RuntimeError when neither is there.
 */
export async function buildPauseImage(out: string, ref: string = PAUSE_IMAGE): Promise<string> {
  if (await exists(CATATONIT)) {
    const program = await readProgram(CATATONIT, 'catatonit');
    const files: TarEntry[] = [{ kind: 'file', path: 'pause', content: program, mode: 0o755 }];
    return await writeOciArchive({ refs: [ref], files, config: { Entrypoint: ['/pause', '-P'] } }, out);
  }
  const program = await readProgram(BUSYBOX, 'busybox-static');
  const files: TarEntry[] = [
    { kind: 'directory', path: 'bin' },
    { kind: 'file', path: 'bin/busybox', content: program, mode: 0o755 },
  ];
  // As PID 1 the shell reaps what `wait` sees; the sleep is only something to wait for.
  const loop = 'trap "exit 0" TERM INT; while :; do /bin/busybox sleep 2147483 & wait; done';
  const config = { Entrypoint: ['/bin/busybox', 'sh', '-c', loop] };
  return await writeOciArchive({ refs: [ref], files, config }, out);
}

async function readProgram(path: string, debianPackage: string): Promise<Uint8Array> {
  if (!(await exists(path))) {
    throw new RuntimeError(`${path} is missing (Debian package ${debianPackage})`, { code: 'missing-program' });
  }
  const program = await readFile(path);
  if (needsLoader(program)) {
    throw new RuntimeError(`${path} needs shared libraries; ${debianPackage} has a static one`, { code: 'not-static' });
  }
  return program;
}

/** Whether a 64-bit little-endian ELF program names an interpreter (a PT_INTERP header), so is not static. */
function needsLoader(program: Buffer): boolean {
  const start = Number(program.readBigUInt64LE(32));
  const size = program.readUInt16LE(54);
  for (let i = 0; i < program.readUInt16LE(56); i++) if (program.readUInt32LE(start + i * size) === 3) return true;
  return false;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    // Absent.
    () => false,
  );
}

/** `tmp` is everybody's. */
function directories(paths: readonly string[]): TarEntry[] {
  return paths.map((path) => ({ kind: 'directory', path, mode: path === 'tmp' ? 0o1777 : 0o755 }));
}

function text(path: string, content: string): TarEntry {
  return { kind: 'file', path, content: ENCODER.encode(content) };
}
