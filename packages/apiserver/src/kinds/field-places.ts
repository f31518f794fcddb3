/** The way to fields of an object. Every write of a pod goes along several of them. */
export type FieldPlace = readonly Step[];

interface Step {
  /** Absent: each member of a list or a map. */
  readonly name: string | undefined;
  /** It is left out too when nothing is left in it. */
  readonly isPruned: boolean;
}

type Members = { readonly [name: string]: unknown };

/** `spec.containers.*.lifecycle?.stopSignal`: `*` is each member, and what has a `?` goes when nothing is left in it. */
export function fieldPlace(text: string): FieldPlace {
  return text.split('.').map((step) => {
    const isPruned = step.endsWith('?');
    return { name: step === '*' ? undefined : isPruned ? step.slice(0, -1) : step, isPruned };
  });
}

/** What stands there, the first of several; null is as good as nothing. */
export function valueAt(value: unknown, place: FieldPlace, from = 0): unknown {
  if (value === null || value === undefined) return undefined;
  const step = place[from];
  if (step === undefined) return value;
  if (typeof value !== 'object') return undefined;
  if (step.name !== undefined) return valueAt((value as Members)[step.name], place, from + 1);
  for (const member of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)) {
    const found = valueAt(member, place, from + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value without what stands there: itself where there is nothing, else made anew as far as it takes. */
export function withoutField(value: unknown, place: FieldPlace, from = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const step = place[from];
  if (step === undefined) return value;
  const { name } = step;
  if (name === undefined) return withoutInMembers(value, place, from + 1);
  const members = value as Members;
  if (!Object.hasOwn(members, name)) return value;
  if (from === place.length - 1) return leaveOut(members, name);
  const made = withoutField(members[name], place, from + 1);
  if (made === members[name]) return value;
  return step.isPruned && isEmpty(made) ? leaveOut(members, name) : { ...members, [name]: made };
}

function withoutInMembers(value: object, place: FieldPlace, from: number): unknown {
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    const made = items.map((item) => withoutField(item, place, from));
    return made.some((item, at) => item !== items[at]) ? made : value;
  }
  const made = Object.entries(value).map(([name, member]) => [name, withoutField(member, place, from)] as const);
  return made.some(([name, member]) => member !== (value as Members)[name]) ? Object.fromEntries(made) : value;
}

function leaveOut(members: Members, name: string): Members {
  const { [name]: _left, ...rest } = members;
  return rest;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
