import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the page, ready to be sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Zipped when somebody asks for the first time: who waits for one file waits for no other. */
  zipped(): Promise<Uint8Array>;
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
  ['.json', 'application/json'],
]);
const HASHED = /-[A-Z0-9]{8}\.[a-z0-9]+$/;

/**
 * The files below a folder, by their paths as a browser asks for them (`/index.html`). Read once, so that nothing a
 * browser sends is ever taken for a path on disk. Files of other types are left out.
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = await Promise.all(
    files.map(async (file) => {
      const type = TYPES.get(extname(file));
      if (type === undefined) return undefined;
      const bytes = await readFile(file);
      const path = `/${file.slice(folder.length).split(sep).filter(Boolean).join('/')}`;
      let zipped: Promise<Uint8Array> | undefined;
      return [path, { type, bytes, zipped: () => (zipped ??= zip(bytes)), isHashed: HASHED.test(file) }] as const;
    }),
  );
  return new Map(read.filter((one) => one !== undefined));
}

const zip = promisify<Uint8Array, Uint8Array>(gzip);
