/** What the conditions of all kinds have in common. */
export interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** As a status has them: left out, or null, where there is none. */
type Conditions<C extends Condition = Condition> = readonly C[] | null | undefined;

/** The condition of that type, if the list has it. */
export function getCondition<C extends Condition>(conditions: Conditions<C>, type: string): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Does the list have the condition with status True? */
export function isConditionTrue(conditions: Conditions, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/**
 * The list with this condition in place of the one of its type; its transition time is kept when the status
 * stays, and is `now` (RFC 3339) when it changes. The same list comes back when nothing changed at all.
 */
export function setCondition<C extends Condition>(conditions: Conditions<C>, condition: C, now: string): readonly C[] {
  const list = conditions ?? [];
  const at = list.findIndex((existing) => existing.type === condition.type);
  const before = list[at];
  if (before === undefined) return [...list, { ...condition, lastTransitionTime: condition.lastTransitionTime ?? now }];
  const kept = before.status === condition.status ? before.lastTransitionTime : condition.lastTransitionTime;
  const after: C = { ...condition, lastTransitionTime: kept ?? now };
  return isSame(before, after) ? list : list.with(at, after);
}

/** The list without the condition of that type; the same list where it has none. */
export function removeCondition<C extends Condition>(conditions: Conditions<C>, type: string): readonly C[] {
  const list = conditions ?? [];
  return list.some((condition) => condition.type === type) ? list.filter((one) => one.type !== type) : list;
}

function isSame(a: Condition, b: Condition): boolean {
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined));
  const right = Object.entries(b).filter(([, value]) => value !== undefined);
  return left.size === right.length && right.every(([key, value]) => left.get(key) === value);
}
