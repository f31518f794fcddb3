/** Completion indexes from `first` to `last`, both included. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** The intervals, rising, or what is wrong with the text in upstream's words. */
export type ParsedIndexes = { readonly intervals: readonly IndexInterval[] } | { readonly error: string };

/** Reads completion indexes as a job's status writes them: `1,3-5,7`, rising and below `completions`. */
export function parseIndexes(text: string, completions: number): ParsedIndexes {
  const intervals: IndexInterval[] = [];
  if (text === '') return { intervals };
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('error' in interval) return interval;
    if (previous !== undefined && previous >= interval.first) return { error: notRising(previous, interval.first) };
    previous = interval.last;
    intervals.push(interval);
  }
  return { intervals };
}

/** How many indexes there are in all. */
export function countIndexes(intervals: readonly IndexInterval[]): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The first index that is in both, or undefined; both rise. */
export function overlapOf(a: readonly IndexInterval[], b: readonly IndexInterval[]): number | undefined {
  let other = 0;
  for (const interval of a) {
    while (other < b.length && (b[other]?.last ?? 0) < interval.first) other++;
    const next = b[other];
    if (next !== undefined && next.first <= interval.last) return Math.max(next.first, interval.first);
  }
  return undefined;
}

function parseInterval(part: string, completions: number): IndexInterval | { readonly error: string } {
  const limits = part.split('-');
  if (limits.length > 2) {
    const fragment = JSON.stringify(part);
    return {
      error: `the fragment ${fragment} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const shown = JSON.stringify(limit);
    if (!/^[+-]?[0-9]+$/.test(limit)) return { error: `cannot convert string to integer for index: ${shown}` };
    if (Number(limit) >= completions) return { error: `too large index: ${shown}` };
    numbers.push(Number(limit));
  }
  const [first = 0, last = first] = numbers;
  if (limits.length === 2 && first >= last) return { error: notRising(first, last) };
  return { first, last };
}

function notRising(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
