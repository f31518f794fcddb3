import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runBinnacle } from './folder.ts';
import { LAUNCHER, SOURCES } from './launcher.ts';

/** An image that has an entrypoint: it says its arguments. */
export const ECHO_IMAGE = 'binnacle.local/echo:1';

const ARCHIVES = [
  ['example.tar'],
  ['echo.tar', '--ref', ECHO_IMAGE, '--entrypoint', 'echo'],
] as const satisfies readonly (readonly [file: string, ...flags: string[]])[];

/** Beside a program that was built for this run: dozens of clusters are given the same. */
const kept = LAUNCHER === SOURCES ? undefined : join(dirname(LAUNCHER), '../images');

/** Paths of archives with the example's image and ECHO_IMAGE: made in the folder, or there already. Nobody writes into them. */
export function exampleImages(folder: string): Promise<string[]> {
  const place = kept ?? folder;
  mkdirSync(place, { recursive: true });
  return Promise.all(ARCHIVES.map(([file, ...flags]) => archiveAt(join(place, file), flags)));
}

async function archiveAt(path: string, flags: readonly string[]): Promise<string> {
  if (existsSync(path)) return path;
  // Somebody else may be making it as well.
  const half = `${path}.${process.pid}`;
  await runBinnacle(['image', 'build-example', half, ...flags]);
  renameSync(half, path);
  return path;
}
