import { parseIndexes } from '@binnacle/api';
import type { IndexInterval } from '@binnacle/api';

/** The completion indexes that a status names, below `completions`; what is unreadable counts as none. */
export function readIndexes(text: string | undefined, completions: number): readonly IndexInterval[] {
  if (text === undefined || text === '') return [];
  // Completions may have been lowered since: what is beyond is cut, not refused.
  const parsed = parseIndexes(text, Number.MAX_SAFE_INTEGER);
  if ('error' in parsed) return [];
  return parsed.intervals.flatMap(({ first, last }) =>
    first >= completions ? [] : [{ first, last: Math.min(last, completions - 1) }],
  );
}

/** As a status writes them: `1,3-5,7,8`; two neighbours stand by themselves. */
export function writeIndexes(intervals: readonly IndexInterval[]): string {
  return intervals
    .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');
}

/** With these numbers too; intervals stay rising and apart. */
export function addIndexes(intervals: readonly IndexInterval[], numbers: readonly number[]): readonly IndexInterval[] {
  if (numbers.length === 0) return intervals;
  const all = [...intervals, ...numbers.map((number) => ({ first: number, last: number }))];
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of all.sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged;
}

/** Those of rising intervals that are in none of the others; linear in how many intervals there are, however long they are. */
export function withoutIndexes(
  intervals: readonly IndexInterval[],
  others: readonly IndexInterval[],
): readonly IndexInterval[] {
  const left: IndexInterval[] = [];
  let at = 0;
  for (const { first, last } of intervals) {
    let from = first;
    while (at < others.length && (others[at]?.last ?? 0) < from) at++;
    for (let next = at; from <= last; next++) {
      const other = others[next];
      if (other === undefined || other.first > last) {
        left.push({ first: from, last });
        break;
      }
      if (other.first > from) left.push({ first: from, last: other.first - 1 });
      from = other.last + 1;
      at = next;
    }
  }
  return left;
}

export function hasIndex(intervals: readonly IndexInterval[], number: number): boolean {
  return endOf(intervals, number) !== undefined;
}

/** The lowest numbers below `completions` that are in none of the intervals and not taken. */
export function pendingIndexes(
  done: readonly (readonly IndexInterval[])[],
  taken: ReadonlySet<number>,
  of: { readonly completions: number; readonly count: number },
): readonly number[] {
  const found: number[] = [];
  for (let number = 0; number < of.completions && found.length < of.count; number++) {
    const inside = done.map((intervals) => endOf(intervals, number)).find((end) => end !== undefined);
    if (inside !== undefined) number = inside;
    else if (!taken.has(number)) found.push(number);
  }
  return found;
}

/** The end of the interval that the number is in; undefined: it is in none. */
function endOf(intervals: readonly IndexInterval[], number: number): number | undefined {
  let [low, high] = [0, intervals.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const interval = intervals[middle];
    if (interval === undefined) return undefined;
    if (number < interval.first) high = middle - 1;
    else if (number > interval.last) low = middle + 1;
    else return interval.last;
  }
  return undefined;
}
