import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMIT = /^[0-9a-f]{40}$/;
/** In the package beside the program, written when it was built. */
const FILE_NAME = 'commit';
const LEVELS_MAX = 6;

/** The commit that this program was built of, or the working tree's own; empty where neither is known. */
export function buildCommit(from = dirname(fileURLToPath(import.meta.url))): string {
  let folder = from;
  for (let level = 0; level < LEVELS_MAX; level++) {
    const packaged = textOf(join(folder, FILE_NAME));
    if (COMMIT.test(packaged)) return packaged;
    if (existsSync(join(folder, '.git'))) return headOf(join(folder, '.git'));
    folder = dirname(folder);
  }
  return '';
}

/** What HEAD of a repository stands for; `.git` is a file in a further working tree. */
function headOf(dotGit: string): string {
  const [, elsewhere] = /^gitdir: (.*)$/.exec(textOf(dotGit)) ?? [];
  const repository = elsewhere === undefined ? dotGit : resolve(dirname(dotGit), elsewhere);
  const head = textOf(join(repository, 'HEAD'));
  const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
  if (ref === undefined) return COMMIT.test(head) ? head : '';
  const shared = resolve(repository, textOf(join(repository, 'commondir')));
  const loose = textOf(join(shared, ref));
  if (COMMIT.test(loose)) return loose;
  const packed = textOf(join(shared, 'packed-refs'))
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return packed?.slice(0, 40) ?? '';
}

/** Without its last line end; empty where there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
