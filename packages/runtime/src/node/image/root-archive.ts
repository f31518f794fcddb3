import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, createZstdDecompress } from 'node:zlib';
import { messageOf } from '@binnacle/base';
import { RuntimeError } from '../../errors.ts';
import { blobPath, describeImage } from './oci-archive.ts';
import type { Layer, OciImage } from './oci-archive.ts';
import { tarAround } from './tar.ts';

type Chunks = AsyncIterable<Buffer>;

const BLOCK = 512;
/** Where a POSIX tar header says that it is one. */
const MARK = { at: 257, text: 'ustar' } as const;
const COMPLAINT_MAX = 4000;
/** Nothing of this machine or of now gets in: equal folders give equal bytes. */
const TAR = [
  ...['--create', '--format=posix', '--pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime'],
  ...['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'],
  ...['--xattrs', '--xattrs-include=security.capability'],
];

/**
 * Writes an OCI image archive of one layer to `out`: of a folder (everything in it is root's, as of 1970), or of a tar
 * archive of a root file system (plain, gzip or zstd; as it is). Memory stays flat whatever its size; nothing is left of what fails.
 * Answers with the manifest's digest. Throws RuntimeError for what is neither, or cannot be packed whole.
 */
export async function buildRootImage(root: string, image: Omit<OciImage, 'files'>, out: string): Promise<string> {
  const isFolder = await stat(root).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => refuse(`cannot read ${root}: ${messageOf(error)}`, error),
  );
  if (isFolder) await checkApart(root, out);
  const work = await mkdtemp(join(dirname(out), '.image-')).catch((error: unknown) =>
    refuse(`cannot write ${out}: ${messageOf(error)}`, error),
  );
  try {
    const [packed, archive] = [join(work, 'layer'), join(work, 'archive')];
    const layer = await packLayer(isFolder ? tarOf(root) : await unpacked(root), packed);
    const { digest, entries } = describeImage(image, layer);
    const { before, after } = tarAround(entries, { path: blobPath(layer.digest), size: layer.size });
    await pipeline(async function* () {
      yield before;
      yield* createReadStream(packed) as Chunks;
      yield after;
    }, createWriteStream(archive));
    await rename(archive, out);
    return digest;
  } catch (error) {
    if (error instanceof RuntimeError) throw error;
    refuse(`cannot write ${out}: ${messageOf(error)}`, error);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** An archive cannot be among what it is made of. */
async function checkApart(root: string, out: string): Promise<void> {
  const [inside, folder] = [await realpath(root), await folderOf(out)];
  if (folder === undefined) refuse(`cannot write ${out}: its folder does not exist`);
  if (`${folder}${sep}`.startsWith(inside === sep ? sep : `${inside}${sep}`)) {
    refuse(`${out} would be written into the folder that it is made of`);
  }
}

async function folderOf(file: string): Promise<string | undefined> {
  // Why it cannot be found makes no difference: nothing can be written there.
  return realpath(dirname(file)).catch(() => undefined);
}

async function packLayer(root: Chunks, out: string): Promise<Layer> {
  const [plain, packed] = [new Sum(), new Sum()];
  await pipeline(
    (): AsyncGenerator<Buffer> => plain.of(wholeTar(root)),
    createGzip(),
    (chunks: Chunks) => packed.of(chunks),
    createWriteStream(out),
  );
  return { digest: packed.digest(), size: packed.size, diffId: plain.digest() };
}

/** Digest and size of what passes. */
class Sum {
  readonly #hash = createHash('sha256');
  size = 0;

  async *of(chunks: Chunks): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.size += chunk.length;
      yield chunk;
    }
  }

  digest(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}

/** What passes is a tar archive, by its first header and its size. */
async function* wholeTar(chunks: Chunks): AsyncGenerator<Buffer> {
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of chunks) {
    size += chunk.length;
    if (head.length < BLOCK) head = Buffer.concat([head, chunk.subarray(0, BLOCK - head.length)]);
    if (head.length === BLOCK && !isHeader(head)) refuse('the root file system is no tar archive');
    yield chunk;
  }
  if (size === 0 || size % BLOCK !== 0) refuse('the root file system is no whole tar archive');
}

function isHeader(block: Buffer): boolean {
  return block.toString('latin1', MARK.at, MARK.at + MARK.text.length) === MARK.text;
}

/** A folder as GNU tar packs it: long names, hard links, sparse files and all. It has to say nothing about it. */
async function* tarOf(folder: string): AsyncGenerator<Buffer> {
  // Names come in one order, and complaints in one language, whatever this machine speaks.
  const args = ['LC_ALL=C', 'tar', ...TAR, `--directory=${folder}`, '.'];
  const tar = spawn('env', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', resolve);
  });
  // Asked for below; it must not count as unheard of until then.
  ended.catch(() => undefined);
  let complaint = '';
  tar.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, COMPLAINT_MAX);
  });
  try {
    yield* tar.stdout as Chunks;
    const code = await ended.catch((error: unknown) => refuse(`cannot run tar: ${messageOf(error)}`, error));
    // A socket, or a file that changes meanwhile, is told of and left out.
    if (code !== 0 || complaint !== '')
      refuse(`cannot pack ${folder}: ${complaint.trim() || `tar ended with ${code}`}`);
  } finally {
    tar.kill();
  }
}

/** A file's bytes, without gzip or zstd around them. */
async function unpacked(file: string): Promise<Chunks> {
  const magic = await firstBytes(file);
  const from = createReadStream(file);
  if (magic.startsWith('1f8b')) return through(from, createGunzip());
  if (magic === '28b52ffd') return through(from, createZstdDecompress());
  return from as Chunks;
}

async function* through(from: NodeJS.ReadableStream, unpack: NodeJS.ReadWriteStream): AsyncGenerator<Buffer> {
  const done = pipeline(from, unpack);
  // Its failure is also the reader's, and is told there.
  done.catch(() => undefined);
  try {
    yield* unpack as unknown as Chunks;
    await done;
  } catch (error) {
    refuse(`cannot unpack the root file system: ${messageOf(error)}`, error);
  }
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('hex', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function refuse(message: string, cause?: unknown): never {
  throw new RuntimeError(message, { code: 'bad-image', ...(cause === undefined ? {} : { cause }) });
}
