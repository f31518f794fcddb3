import type { ApiObject } from '../live/rows.ts';

/** One thing to know of an object. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** A condition, as all kinds have them. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

const FACTS_MAX = 40;
const TEXT_MAX = 200;

/** Plain values of a part of an object, and short lists of them, by their paths: `template.spec.nodeName`. */
export function factsOf(part: unknown, depth = 2): readonly Fact[] {
  const facts: Fact[] = [];
  collect(part, '', { depth, facts });
  return facts;
}

interface Collecting {
  readonly depth: number;
  readonly facts: Fact[];
}

function collect(value: unknown, path: string, { depth, facts }: Collecting): void {
  if (facts.length >= FACTS_MAX || value === null || value === undefined) return;
  if (typeof value !== 'object') {
    facts.push({ name: path, value: shorten(String(value as string | number | boolean)) });
    return;
  }
  if (Array.isArray(value)) {
    const isPlain = value.every((one) => typeof one !== 'object');
    if (isPlain && value.length > 0) facts.push({ name: path, value: shorten(value.join(', ')) });
    return;
  }
  if (depth === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'conditions') continue;
    collect(inner, path === '' ? key : `${path}.${key}`, { depth: depth - 1, facts });
  }
}

function shorten(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

/** The conditions in an object's status; none where there are none. */
export function conditionsOf({ status }: ApiObject): readonly Condition[] {
  if (typeof status !== 'object' || status === null || !('conditions' in status)) return [];
  return Array.isArray(status.conditions) ? status.conditions.slice(0, CONDITIONS_MAX).flatMap(conditionOf) : [];
}

const CONDITIONS_MAX = 100;

/** Custom kinds may keep whatever they like under that name: what is no condition is none. */
function conditionOf(value: unknown): readonly Condition[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, status, ...rest } = value as { readonly [field: string]: unknown };
  if (typeof type !== 'string' || typeof status !== 'string') return [];
  const texts = (['reason', 'message', 'lastTransitionTime'] as const).flatMap((name) =>
    typeof rest[name] === 'string' ? [[name, rest[name]] as const] : [],
  );
  return [{ type, status, ...Object.fromEntries(texts) }];
}

/** Whether a condition says that all is well; undefined where nobody can tell by its name. */
export function isGood({ type, status }: Condition): boolean | undefined {
  if (status === 'Unknown') return undefined;
  const isBadName =
    /(?:Pressure|Failed|Failure|Unavailable|Unschedulable|Stalled|Conflict|DisruptionTarget|Dangling)$/.test(type);
  return isBadName ? status === 'False' : status === 'True';
}
