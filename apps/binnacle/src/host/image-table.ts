import type { ImageStatus } from '@binnacle/runtime';

const SIZES = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;
const ID_LETTERS = 13;
const NONE = '<none>';

/** Images as `crictl images` shows them, by name: repository, tag, the beginning of the id, size. One without names is shown too. */
export function imageRows(images: readonly ImageStatus[]): readonly (readonly string[])[] {
  const rows = images.flatMap((image) => {
    const end = [image.id.replace(/^sha256:/, '').slice(0, ID_LETTERS), sizeOf(image.sizeBytes)];
    if (image.tags.length > 0) return image.tags.map((tag) => [...splitTag(tag), ...end]);
    return [[image.digests[0]?.replace(/@.*$/, '') ?? NONE, NONE, ...end]];
  });
  return rows.toSorted((a, b) => (a.join() < b.join() ? -1 : 1));
}

function splitTag(name: string): readonly [string, string] {
  const at = name.lastIndexOf(':');
  // A port of the registry is no tag.
  return at > name.lastIndexOf('/') ? [name.slice(0, at), name.slice(at + 1)] : [name, 'latest'];
}

function sizeOf(bytes: number): string {
  const [unit, size] = SIZES.find(([, least]) => bytes >= least) ?? ['B', 1];
  return `${Number((bytes / size).toPrecision(3))}${unit}`;
}
