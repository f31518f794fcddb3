import type { Requirement } from './requirement.ts';

/** What the value of one key has to be, all conditions on it together. */
interface KeyCondition {
  /** Whether an object without the key is refused. */
  present: boolean;
  /** Whether an object with the key is refused. */
  absent: boolean;
  allowed: ReadonlySet<string> | undefined;
  denied: Set<string> | undefined;
  above: bigint | undefined;
  below: bigint | undefined;
}

/**
 * Many conditions on labels, by key: what it takes to look at an object grows with its labels, not with the conditions.
 * A query of a megabyte has a hundred thousand of them, and a list is held against each of its objects.
 */
export class ConditionTable {
  readonly #conditions = new Map<string, KeyCondition>();
  /** How many keys an object must have. */
  #present = 0;

  constructor(requirements: readonly Requirement[]) {
    for (const requirement of requirements) {
      let condition = this.#conditions.get(requirement.key);
      if (condition === undefined) this.#conditions.set(requirement.key, (condition = nothingAsked()));
      add(condition, requirement);
    }
    for (const { present } of this.#conditions.values()) if (present) this.#present++;
  }

  /** Whether all conditions hold. */
  matches(labels: { readonly [key: string]: string } | undefined): boolean {
    let met = 0;
    for (const key of Object.keys(labels ?? {})) {
      const condition = this.#conditions.get(key);
      if (condition === undefined) continue;
      if (!holds(condition, labels?.[key] ?? '')) return false;
      if (condition.present) met++;
    }
    return met === this.#present;
  }
}

function nothingAsked(): KeyCondition {
  return { present: false, absent: false, allowed: undefined, denied: undefined, above: undefined, below: undefined };
}

function add(condition: KeyCondition, { operator, values }: Requirement): void {
  switch (operator) {
    case '=':
    case '==':
    case 'in': {
      const { allowed } = condition;
      condition.present = true;
      condition.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
      return;
    }
    case '!=':
    case 'notin':
      condition.denied ??= new Set();
      for (const value of values) condition.denied.add(value);
      return;
    case 'exists':
      condition.present = true;
      return;
    case '!':
      condition.absent = true;
      return;
    case 'gt':
    case 'lt':
      condition.present = true;
      bound(condition, operator, BigInt(values[0] ?? '0'));
  }
}

function bound(condition: KeyCondition, operator: 'gt' | 'lt', at: bigint): void {
  const { above, below } = condition;
  if (operator === 'gt') condition.above = above === undefined || at > above ? at : above;
  else condition.below = below === undefined || at < below ? at : below;
}

function holds({ absent, allowed, denied, above, below }: KeyCondition, value: string): boolean {
  if (absent || allowed?.has(value) === false || denied?.has(value) === true) return false;
  if (above === undefined && below === undefined) return true;
  if (!/^[+-]?\d+$/.test(value)) return false;
  const number = BigInt(value);
  return (above === undefined || number > above) && (below === undefined || number < below);
}
