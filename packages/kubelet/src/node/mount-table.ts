import { readFile } from 'node:fs/promises';

/** The mount points at a path and below it, in the order in which they have to be undone: the last made first. */
export async function mountsFrom(path: string): Promise<readonly string[]> {
  return mountPoints(await readFile('/proc/self/mountinfo', 'utf8'), path);
}

/** The same from the text of `mountinfo`, in which blanks and their like are written as octal escapes. */
export function mountPoints(mountinfo: string, path: string): readonly string[] {
  return mountinfo
    .split('\n')
    .map((line) => (line.split(' ', 5)[4] ?? '').replace(/\\([0-7]{3})/g, unescaped))
    .filter((point) => point === path || point.startsWith(`${path}/`))
    .toReversed();
}

function unescaped(_: string, octal: string): string {
  return String.fromCharCode(Number.parseInt(octal, 8));
}
