import type { Logger } from '@binnacle/base';
import type { FileHandle } from 'node:fs/promises';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const CHUNK_BYTES = 256 * 1024;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Makes the directory and the empty file, readable by their owner alone, and makes their names durable. */
export async function prepareFile(path: string, log: Logger): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
  // Absent; whatever else is wrong shows when it is made.
  const existing = await stat(path).catch(() => undefined);
  if (existing === undefined) {
    const created = await open(path, 'ax', FILE_MODE);
    await created.close();
    const folder = await open(directory, 'r');
    await folder.sync();
    await folder.close();
  } else if ((existing.mode & 0o077) !== 0) {
    await chmod(path, FILE_MODE);
    log.warn('others could read the store; its mode is tightened', { path, mode: (existing.mode & 0o777).toString(8) });
  }
}

/**
 * The file beside SQLite. One handle for the whole life: closing any handle of the file drops the process's locks on
 * it, SQLite's too, so this one is opened after SQLite has the lock and closed after SQLite has let go.
 */
export class StoreFile {
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  static async open(path: string): Promise<StoreFile> {
    return new StoreFile(path, await open(path, 'r'));
  }

  /** Bytes of the file and its write-ahead log. */
  async size(): Promise<number> {
    // Absent between checkpoints.
    const log = await stat(`${this.path}-wal`).catch(() => undefined);
    return (await this.#handle.stat()).size + (log?.size ?? 0);
  }

  async *read(): AsyncIterable<Uint8Array> {
    const { size } = await this.#handle.stat();
    for (let at = 0; at < size;) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size - at));
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.byteLength, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
