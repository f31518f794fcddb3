import type { Toleration } from '@binnacle/api/core/v1';

/** As it may come: of an empty text and of none the same is meant. */
interface Words extends Pick<Toleration, 'key' | 'value' | 'tolerationSeconds'> {
  readonly operator?: string;
  readonly effect?: string;
}

/**
 * Tolerations by what they cover, so that each question costs the same however many there are: whoever makes a pod says
 * how many it has, and everybody else waits meanwhile.
 */
class Covering {
  /** Of each sort the longest that is tolerated. */
  readonly #longest = new Map<string, number>();

  add(one: Words): void {
    const sort = sortOf(one);
    this.#longest.set(sort, Math.max(secondsOf(one), this.#longest.get(sort) ?? Number.NEGATIVE_INFINITY));
  }

  /** Whether one of them is tolerated by who needs this one; `beyond`: and is not of the same sort and as long. */
  covers(one: Words, beyond = false): boolean {
    const own = sortOf(one);
    return coveringSorts(one).some((sort) => {
      const longest = this.#longest.get(sort);
      if (longest === undefined) return false;
      return beyond && sort === own ? longest > secondsOf(one) : longest >= secondsOf(one);
    });
  }
}

/** Whether each is covered by one of those that are allowed. */
export function areCovered(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  const covering = new Covering();
  for (const one of allowed) covering.add(one);
  return tolerations.every((one) => covering.covers(one));
}

/** Those that no other covers: of equal ones the first, of those that only mean the same the last. */
export function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const isCoveredLater = coveredLater(all);
  const before = new Covering();
  return all.filter((one, at) => {
    if (isCoveredLater[at] === true || before.covers(one)) return false;
    before.add(one);
    return true;
  });
}

function coveredLater(all: readonly Toleration[]): readonly boolean[] {
  const later = new Covering();
  /** How often there is the same, and how often just that. */
  const meanings = new Map<string, number>();
  const texts = new Map<string, number>();
  const covered: boolean[] = Array.from({ length: all.length }, () => false);
  for (const [at, one] of [...all.entries()].reverse()) {
    const meaning = JSON.stringify([sortOf(one), one.effect === 'NoExecute' ? String(secondsOf(one)) : '']);
    const text = textOf(one);
    const others = (meanings.get(meaning) ?? 0) - (texts.get(text) ?? 0);
    covered[at] = others > 0 || later.covers(one, true);
    later.add(one);
    meanings.set(meaning, (meanings.get(meaning) ?? 0) + 1);
    texts.set(text, (texts.get(text) ?? 0) + 1);
  }
  return covered;
}

function textOf({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Words): string {
  return JSON.stringify([key, operator, value, effect, tolerationSeconds]);
}

/** What is tolerated but for how long: key, value (by the operator) and effect. */
function sortOf({ key = '', operator, value = '', effect = '' }: Words): string {
  if (operator === 'Exists') return JSON.stringify([key, 'Exists', '', effect]);
  return JSON.stringify([key, operator === undefined || operator === '' ? 'Equal' : operator, value, effect]);
}

/** Sorts that cover this one, where they last as long. */
function coveringSorts(one: Words): readonly string[] {
  const anyValue: Words = { ...one, operator: 'Exists' };
  const likes: readonly Words[] = [one, anyValue, { ...anyValue, key: '' }];
  return [...new Set(likes.flatMap((like) => [sortOf(like), sortOf({ ...like, effect: '' })]))];
}

/** Only what is thrown out of a node is tolerated for a time. */
function secondsOf({ effect, tolerationSeconds }: Words): number {
  return effect === 'NoExecute' && tolerationSeconds !== undefined ? tolerationSeconds : Number.POSITIVE_INFINITY;
}
