import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The file's text, or undefined when it does not exist. */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file in one step: a reader sees the old text or the new one. Only the owner may read it. */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw named(error, path);
  }
}

/** A disk that is full does not say which file it did not take. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error;
}
