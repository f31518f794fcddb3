/** As long as a label's value can be; Linux lets a host's name be one longer. */
const LENGTH_MAX = 63;

/**
 * A name that a Node and a label's value can have, of the one that a machine gives itself: `(none)`, where nobody set
 * one, is `none`. A valid one stays as it is; upper case is the caller's. Never empty: `localhost` where nothing is left.
 */
export function validHostName(name: string): string {
  const parts = name
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .split('.')
    .map(withoutHyphensAround);
  const cut = parts.filter((part) => part !== '').join('.');
  return cut.slice(0, LENGTH_MAX).replace(/[.-]+$/, '') || 'localhost';
}

function withoutHyphensAround(part: string): string {
  let [start, end] = [0, part.length];
  while (start < end && part[start] === '-') start++;
  while (end > start && part[end - 1] === '-') end--;
  return part.slice(start, end);
}
