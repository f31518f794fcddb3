import type { Requirement, Selector } from '@binnacle/machinery';
import type { Selectable, Selection } from './selection.ts';

/** What is found by a selection. */
interface Selecting {
  readonly selection: Selection;
}

type Labels = Selectable['labels'];

/**
 * Selections by a label that they ask for: whom a pod may concern is looked up by its labels, of which it has a few, and
 * not compared with each selection, of which a policy may have ten thousands.
 */
export class SelectionIndex<T extends Selecting> {
  readonly #all = new Map<string, Set<T>>();

  add(one: T): void {
    for (const key of keysOf(one.selection)) {
      let set = this.#all.get(key);
      if (set === undefined) this.#all.set(key, (set = new Set()));
      set.add(one);
    }
  }

  delete(one: T): void {
    for (const key of keysOf(one.selection)) {
      const set = this.#all.get(key);
      if (set?.delete(one) === true && set.size === 0) this.#all.delete(key);
    }
  }

  /** All that may mean the pod, each once; some do not. The labels of its namespace are undefined while nobody knows them. `found`: added to. */
  around({ namespace, labels }: Selectable, namespaceLabels: Labels | undefined, found = new Set<T>()): Set<T> {
    const look = (place: string, given: Labels): void => {
      const take = (key: string): void => this.#all.get(key)?.forEach((one) => found.add(one));
      take(place);
      for (const [name, value] of Object.entries(given)) {
        take(existing(place, name));
        take(having(place, name, value));
      }
    };
    look(inside(namespace), labels);
    look(PODS, labels);
    look(NAMESPACES, namespaceLabels ?? {});
    return found;
  }
}

/** Whether no two selections in other words mean one pod by the same label: however many there are, a pod is looked at by few. */
export function isPlain({ podSelector, namespaceSelector }: Selection): boolean {
  const all = [...podSelector.requirements, ...(namespaceSelector?.requirements ?? [])];
  return all.length === 1 && all.every(({ operator, values }) => isEquality(operator) && values.length === 1);
}

/** Places where selections stand: pods of a namespace, pods of all, namespaces. No namespace is named like the others. */
const PODS = '\0pods\0';
const NAMESPACES = '\0namespaces\0';
const inside = (namespace: string): string => `${namespace}\0`;
const existing = (place: string, label: string): string => `${place}${label}`;
const having = (place: string, label: string, value: string): string => `${place}${label}\0${value}`;

/** Where a selection stands: by the label that tells most, of the pods rather than of their namespaces. */
function keysOf({ namespace, podSelector, namespaceSelector }: Selection): readonly string[] {
  const place = namespace === undefined ? PODS : inside(namespace);
  return (
    valueKeys(place, podSelector) ??
    (namespaceSelector && valueKeys(NAMESPACES, namespaceSelector)) ??
    existenceKeys(place, podSelector) ??
    (namespaceSelector && existenceKeys(NAMESPACES, namespaceSelector)) ?? [place]
  );
}

function valueKeys(place: string, { requirements }: Selector): readonly string[] | undefined {
  const [fewest] = requirements
    .filter(({ operator }) => isEquality(operator))
    .toSorted((a, b) => a.values.length - b.values.length);
  return fewest?.values.map((value) => having(place, fewest.key, value));
}

function existenceKeys(place: string, { requirements }: Selector): readonly string[] | undefined {
  const asked = requirements.find(({ operator }) => operator === 'exists');
  return asked && [existing(place, asked.key)];
}

function isEquality(operator: Requirement['operator']): boolean {
  return operator === '=' || operator === '==' || operator === 'in';
}
