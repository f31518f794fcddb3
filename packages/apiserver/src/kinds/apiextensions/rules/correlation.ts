/** What a value was before a change, where that can be told: by the field, by the key of a map, by the keys of an item. */
import { deepEqual } from '@binnacle/machinery';
import type { SchemaProps } from '@binnacle/machinery/structural';

interface Members {
  readonly [name: string]: unknown;
}

/** A value and what it was. */
export class Correlated {
  readonly now: unknown;
  readonly before: unknown;
  #isUnchanged: boolean | undefined;

  constructor(now: unknown, before: unknown) {
    this.now = now;
    this.before = before;
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= deepEqual(this.now, this.before);
    return this.#isUnchanged;
  }
}

/** Where a walk through an object stands: the value there and before, and the last place above that was there before. */
export interface Standing {
  readonly here: Correlated | undefined;
  readonly above: Correlated | undefined;
}

/** Nothing was before. */
export const NEW: Standing = { here: undefined, above: undefined };

/** Whether a mistake may stay, as nothing about it was changed. */
export function mayStay({ here, above }: Standing): boolean {
  return (here ?? above)?.isUnchanged === true;
}

export function belowField(standing: Standing, name: string): Standing {
  const { here } = standing;
  if (here === undefined) return standing;
  // A version is what the request speaks, whatever was stored.
  if (standing.above === undefined && (name === 'apiVersion' || name === 'kind')) return NEW;
  const [now, before] = [memberOf(here.now, name), memberOf(here.before, name)];
  const isKnown = now !== undefined && before !== undefined;
  return { here: isKnown ? new Correlated(now, before) : undefined, above: here };
}

export function belowItem(standing: Standing, now: unknown, before: unknown): Standing {
  const { here } = standing;
  if (here === undefined) return standing;
  return { here: before === undefined ? undefined : new Correlated(now, before), above: here };
}

export function memberOf(value: unknown, name: string): unknown {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap && Object.hasOwn(value, name) ? (value as Members)[name] : undefined;
}

/** Finds the item that stood for the same before; only items of lists that are maps are told apart. */
export function itemsBefore(before: unknown, props: SchemaProps): (item: unknown) => unknown {
  if (props['x-kubernetes-list-type'] !== 'map' || !Array.isArray(before)) return () => undefined;
  const keys = props['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown): string => JSON.stringify(keys.map((key) => memberOf(item, key) ?? null));
  const known = new Map(before.map((item): [string, unknown] => [keyOf(item), item]));
  return (item) => known.get(keyOf(item));
}
