import type { ApiObject } from '../live/rows.ts';
import { distinctKeys } from './distinct-keys.ts';
import { visible } from '../texts/visible.ts';

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

/**
 * Plain values of a part of an object, short lists of them, and what stands in lists of objects, a line each, by their
 * paths: `template.spec.nodeName`, `ports[http]`.
 */
export function factsOf(part: unknown, depth = 2): readonly Fact[] {
  const facts: Fact[] = [];
  collect(part, '', { depth, facts });
  return facts;
}

/** What every object has, and what is shown in places of its own. */
const ELSEWHERE = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);

/** Whether it keeps what not everybody who looks over a shoulder should read. */
export function isSecret({ apiVersion, kind }: ApiObject): boolean {
  return kind === 'Secret' && apiVersion === 'v1';
}

/**
 * What an object says outside of its spec and status: data, rules, subjects, webhooks. Of Secrets how long each value is;
 * `isRevealed`: what it is.
 */
export function contentsOf(object: ApiObject, isRevealed = false): readonly Fact[] {
  const told = (key: string, value: unknown): unknown =>
    isSecret(object) && key === 'data' ? secretData(value, isRevealed) : value;
  const contents = Object.entries(object).filter(([key]) => !ELSEWHERE.has(key));
  return factsOf(Object.fromEntries(contents.map(([key, value]) => [key, told(key, value)])));
}

function secretData(data: unknown, isRevealed: boolean): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const told = (value: unknown): string => {
    const bytes = typeof value === 'string' ? bytesIn(value) : undefined;
    if (bytes === undefined) return '•••';
    return (isRevealed ? textIn(bytes) : undefined) ?? `••• (${bytes.length} B)`;
  };
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, told(value)]));
}

/** Undefined: it is no Base64. */
function bytesIn(text: string): Uint8Array | undefined {
  try {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    return bytes;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Undefined: it is no text. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Who made what is told of it, and since when. */
export function metadataFacts({ metadata }: ApiObject): readonly Fact[] {
  const { creationTimestamp, annotations, finalizers, generateName } = metadata as {
    readonly creationTimestamp?: string;
    readonly annotations?: { readonly [key: string]: unknown };
    readonly finalizers?: unknown;
    readonly generateName?: unknown;
  };
  // kubectl keeps in it what somebody applied: the whole object once more.
  const told = Object.entries(annotations ?? {}).filter(([key]) => key !== LAST_APPLIED);
  return [
    ...factsOf({ creationTimestamp, generateName, finalizers }),
    ...told.slice(0, FACTS_MAX).map(([key, value]) => ({ name: key, value: shorten(textOf(value)) })),
  ];
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

interface Collecting {
  readonly depth: number;
  readonly facts: Fact[];
}

function collect(value: unknown, path: string, { depth, facts }: Collecting): void {
  if (facts.length >= FACTS_MAX || value === null || value === undefined) return;
  if (typeof value !== 'object') {
    facts.push({ name: shorten(path), value: shorten(textOf(value)) });
    return;
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const isPlain = items.every((one) => typeof one !== 'object');
    if (isPlain && items.length > 0) facts.push({ name: shorten(path), value: shorten(lineOf(items)) });
    if (!isPlain) {
      const shown = items.slice(0, FACTS_MAX - facts.length);
      const keys = distinctKeys(shown.map(nameOf));
      for (const [at, item] of shown.entries())
        facts.push({ name: shorten(`${path}[${keys[at]}]`), value: shorten(lineOf(item)) });
    }
    return;
  }
  if (depth === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    if (IN_TABLES.has(key)) continue;
    collect(inner, path === '' ? key : `${path}.${key}`, { depth: depth - 1, facts });
  }
}

/** Shown in tables of their own. */
const IN_TABLES = new Set([
  ...['conditions', 'containers', 'initContainers', 'ephemeralContainers'],
  ...['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'],
]);

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('name' in item)) return undefined;
  return typeof item.name === 'string' && item.name !== '' ? item.name : undefined;
}

/** `port: 80; protocol: TCP`: what is inside in one line; of long lists and of what is deep the beginning. */
function lineOf(value: unknown, depth = 3): string {
  if (value === '') return '""';
  if (typeof value !== 'object' || value === null) return textOf(value);
  if (depth === 0) return '…';
  const parts = Array.isArray(value)
    ? value.slice(0, FACTS_MAX).map((one) => lineOf(one, depth - 1))
    : Object.entries(value)
        .slice(0, FACTS_MAX)
        .map(([key, inner]) => `${key}: ${lineOf(inner, depth - 1)}`);
  return parts.join(Array.isArray(value) ? ', ' : '; ');
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

function shorten(text: string): string {
  return visible(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
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
    typeof rest[name] === 'string' ? [[name, visible(rest[name])] as const] : [],
  );
  return [{ type: visible(type), status: visible(status), ...Object.fromEntries(texts) }];
}

/** Whether a condition says that all is well; undefined where nobody can tell by its name. */
export function isGood({ type, status }: Condition): boolean | undefined {
  if (status === 'Unknown') return undefined;
  const isBadName =
    /(?:Pressure|Failed|Failure|Unavailable|Unschedulable|Stalled|Conflict|DisruptionTarget|Dangling)$/.test(type);
  return isBadName ? status === 'False' : status === 'True';
}
