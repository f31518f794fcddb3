import type { Batch } from './table-content.ts';

/** Elements of a set, each with the text `''`, or of a map, each with its value. */
export type Elements = ReadonlyMap<string, string>;

interface NamedSet {
  /** As nft wants it: `set NAME { type … }` without the name. */
  readonly definition: string;
  readonly elements: Map<string, string>;
  /** Values on the machine of what was touched since. */
  readonly touched: Map<string, string | undefined>;
}

/**
 * The chains, sets and maps of a table as they are wanted, beside what the machine has; answers the lines from one to the
 * other, whatever came and went in between. What is named by something else is there before it and goes after it.
 */
export class TableDraft {
  readonly #ref: string;
  readonly #chains = new Map<string, readonly string[]>();
  readonly #sets = new Map<string, NamedSet>();
  /** Rules on the machine of chains that were touched since; undefined: it has no such chain. */
  readonly #touchedChains = new Map<string, readonly string[] | undefined>();
  /** Sets that were made or dropped since, with the kind that the machine has: `set` or `map`, undefined for none. */
  readonly #touchedSets = new Map<string, string | undefined>();

  /** `ref` as nft names the table: `inet binnacle`. */
  constructor(ref: string) {
    this.#ref = ref;
  }

  /** The chain has these rules; undefined: it is not wanted. */
  chain(name: string, rules: readonly string[] | undefined): void {
    if (!this.#touchedChains.has(name)) this.#touchedChains.set(name, this.#chains.get(name));
    if (rules === undefined) this.#chains.delete(name);
    else this.#chains.set(name, rules);
  }

  /** The set has these elements and no others. */
  set(name: string, definition: string, elements: Elements): void {
    const { elements: has, touched } = this.#declare(name, definition);
    const put = (key: string, value: string | undefined): void => {
      if (!touched.has(key)) touched.set(key, has.get(key));
      if (value === undefined) has.delete(key);
      else has.set(key, value);
    };
    for (const key of has.keys()) if (!elements.has(key)) put(key, undefined);
    for (const [key, value] of elements) if (has.get(key) !== value) put(key, value);
  }

  /** One element of a set that is there; undefined: it goes. */
  element(name: string, key: string, value: string | undefined): void {
    const set = this.#sets.get(name);
    if (set === undefined || set.elements.get(key) === value) return;
    if (!set.touched.has(key)) set.touched.set(key, set.elements.get(key));
    if (value === undefined) set.elements.delete(key);
    else set.elements.set(key, value);
  }

  /** The set is not wanted. */
  dropSet(name: string): void {
    const set = this.#sets.get(name);
    if (set === undefined) return;
    this.#sets.delete(name);
    if (!this.#touchedSets.has(name)) this.#touchedSets.set(name, kindOf(set.definition));
  }

  /** The lines from what was taken last to what is wanted now. */
  take(): Batch {
    const made: string[] = [];
    const removed: string[] = [];
    const added: string[] = [];
    const staleSets: string[] = [];
    for (const [name, kind] of this.#touchedSets) {
      const set = this.#sets.get(name);
      // What is on the machine is emptied, to go later or to be filled anew.
      if (kind !== undefined) removed.push(`flush ${kind} ${this.#ref} ${name}`);
      if (set === undefined) {
        if (kind !== undefined) staleSets.push(`delete ${kind} ${this.#ref} ${name}`);
      } else {
        const { definition } = set;
        made.push(`add ${kindOf(definition)} ${this.#ref} ${name} ${definition.slice(kindOf(definition).length + 1)}`);
      }
    }
    for (const [name, { elements, touched }] of this.#sets) {
      this.#changeElements(name, { elements, touched }, { removed, added });
      touched.clear();
    }
    this.#touchedSets.clear();
    const { chains, rules, emptied, stale } = this.#changeChains();
    return { lines: [...chains, ...made, ...removed, ...rules, ...added, ...emptied], stale: [...stale, ...staleSets] };
  }

  #declare(name: string, definition: string): NamedSet {
    let set = this.#sets.get(name);
    if (set !== undefined) return set;
    this.#sets.set(name, (set = { definition, elements: new Map(), touched: new Map() }));
    if (!this.#touchedSets.has(name)) this.#touchedSets.set(name, undefined);
    return set;
  }

  #changeElements(
    name: string,
    { elements, touched }: Pick<NamedSet, 'elements' | 'touched'>,
    { removed, added }: { readonly removed: string[]; readonly added: string[] },
  ): void {
    if (touched.size === 0) return;
    const changed = [...touched].filter(([key, had]) => elements.get(key) !== had);
    const gone = changed.flatMap(([key, had]) => (had === undefined ? [] : [key]));
    const come = changed.flatMap(([key]) => {
      const value = elements.get(key);
      return value === undefined ? [] : [value === '' ? key : `${key} : ${value}`];
    });
    if (gone.length > 0) removed.push(`delete element ${this.#ref} ${name} { ${gone.join(', ')} }`);
    if (come.length > 0) added.push(`add element ${this.#ref} ${name} { ${come.join(', ')} }`);
  }

  #changeChains(): { chains: string[]; rules: string[]; emptied: string[]; stale: string[] } {
    const lines = { chains: [] as string[], rules: [] as string[], emptied: [] as string[], stale: [] as string[] };
    for (const [name, had] of this.#touchedChains) {
      const wanted = this.#chains.get(name);
      const chain = `chain ${this.#ref} ${name}`;
      if (wanted === undefined) {
        if (had === undefined) continue;
        lines.emptied.push(`flush ${chain}`);
        lines.stale.push(`delete ${chain}`);
      } else if (had === undefined || !isSame(had, wanted)) {
        // It may be there still from a moment ago, emptied.
        lines.chains.push(`add ${chain}`);
        lines.rules.push(`flush ${chain}`, ...wanted.map((rule) => `add rule ${this.#ref} ${name} ${rule}`));
      }
    }
    this.#touchedChains.clear();
    return lines;
  }
}

function kindOf(definition: string): string {
  return definition.split(' ', 1)[0] ?? '';
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((rule, at) => rule === b[at]);
}
