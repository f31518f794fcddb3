/** One line of a difference. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
}

/** More lines than this are told as a whole, old and new: a table of all pairs would be too large. */
const PAIRS_MAX = 4_000_000;

/** What of two texts differs, line by line, by their longest common part. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start++;
  let end = 0;
  while (end < old.length - start && end < young.length - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  const middle = diffMiddle(old.slice(start, old.length - end), young.slice(start, young.length - end));
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  return [...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)];
}

function diffMiddle(old: readonly string[], young: readonly string[]): readonly DiffLine[] {
  if (old.length * young.length > PAIRS_MAX) {
    return [
      ...old.map((text) => ({ sign: '-' as const, text })),
      ...young.map((text) => ({ sign: '+' as const, text })),
    ];
  }
  const width = young.length + 1;
  // lengths[i * width + j]: of the longest common part of what follows line i of the one and j of the other.
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] =
        old[i] === young[j]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    const at = i * width + j;
    if (i < old.length && j < young.length && old[i] === young[j]) {
      lines.push({ sign: ' ', text: old[i++] ?? '' });
      j++;
    } else if (j >= young.length || (i < old.length && (lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0))) {
      lines.push({ sign: '-', text: old[i++] ?? '' });
    } else lines.push({ sign: '+', text: young[j++] ?? '' });
  }
  return lines;
}

/** Without the lines that are the same and far from those that are not; a gap is one line of dots. */
export function changedPart(lines: readonly DiffLine[], context = 3): readonly DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [at, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let near = Math.max(0, at - context); near <= Math.min(lines.length - 1, at + context); near++)
      isNear[near] = true;
  }
  return lines.flatMap((line, at) => {
    if (isNear[at] === true) return [line];
    return at > 0 && isNear[at - 1] === true && isNear.includes(true, at) ? [{ sign: ' ' as const, text: '⋯' }] : [];
  });
}
