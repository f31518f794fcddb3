import { RuntimeError } from '../../errors.ts';

/** An entry of an image's file system. Paths are relative, without leading slash or dot. */
export type TarEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Eleven octal digits. */
const SIZE_MAX = 0o77777777777;
const ENCODER = new TextEncoder();
const TYPE_FLAGS = { file: '0', symlink: '2', directory: '5' } as const;
const MODES = { file: 0o644, symlink: 0o777, directory: 0o755 } as const;

/**
 * A POSIX ustar archive: owner 0, time 0, entries in the given order, so equal input gives equal bytes.
 * Throws RuntimeError for a path or target that ustar cannot hold.
 */
export function writeTar(entries: readonly TarEntry[]): Uint8Array {
  return Buffer.concat([...entries.flatMap(entryParts), new Uint8Array(2 * BLOCK)]);
}

/** Likewise, with a file at its end that is not held in memory: what comes before its content, and what after it. */
export function tarAround(
  entries: readonly TarEntry[],
  last: { readonly path: string; readonly size: number },
): { readonly before: Uint8Array; readonly after: Uint8Array } {
  if (last.size > SIZE_MAX) throw new RuntimeError(`${last.path} is too large for an image`, { code: 'bad-image' });
  return {
    before: Buffer.concat([...entries.flatMap(entryParts), header({ kind: 'file', path: last.path }, last.size)]),
    after: new Uint8Array(padding(last.size) + 2 * BLOCK),
  };
}

function entryParts(entry: TarEntry): Uint8Array[] {
  if (entry.kind !== 'file') return [header(entry, 0)];
  const { content } = entry;
  return [header(entry, content.length), content, new Uint8Array(padding(content.length))];
}

type Headed = Exclude<TarEntry, { kind: 'file' }> | Omit<Extract<TarEntry, { kind: 'file' }>, 'content'>;

function header(entry: Headed, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const { name, prefix } = splitPath(entry.kind === 'directory' ? `${entry.path}/` : entry.path);
  const put = (text: string, offset: number): void => block.set(ENCODER.encode(text), offset);
  const octal = (value: number, offset: number, digits: number): void =>
    put(value.toString(8).padStart(digits, '0'), offset);
  put(name, 0);
  octal(entry.kind === 'symlink' ? MODES.symlink : (entry.mode ?? MODES[entry.kind]), 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  put(TYPE_FLAGS[entry.kind], 156);
  if (entry.kind === 'symlink') put(fitting(entry.target, NAME_BYTES), 157);
  put('ustar\u000000', 257);
  put(prefix, 345);
  // The sum is taken with the checksum's own field full of spaces.
  block.fill(0x20, 148, 156);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}

function splitPath(path: string): { name: string; prefix: string } {
  if (ENCODER.encode(path).length <= NAME_BYTES) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const name = path.slice(slash + 1);
    if (name !== '' && ENCODER.encode(name).length <= NAME_BYTES) {
      return { name, prefix: fitting(path.slice(0, slash), PREFIX_BYTES) };
    }
  }
  throw new RuntimeError(`path is too long for an image: ${path}`, { code: 'bad-image' });
}

function fitting(text: string, bytesMax: number): string {
  if (ENCODER.encode(text).length <= bytesMax) return text;
  throw new RuntimeError(`path is too long for an image: ${text}`, { code: 'bad-image' });
}

function padding(length: number): number {
  return (BLOCK - (length % BLOCK)) % BLOCK;
}
