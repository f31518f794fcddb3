/** More values are not compared: enough to name what a plugin touched of any object that people write. */
const VALUES_MAX = 512;
const ITEMS_MAX = 16;
const NAMED_MAX = 16;
/** Longer ones are not told: they are kept, and a name may be as long as an object. */
const PLACE_LENGTH_MAX = 256;
/** What is looked into; of the rest (`data`, say) only that it is another one. */
const PARTS: ReadonlySet<string> = new Set(['metadata', 'spec', 'status']);

/** What stands at the places that are compared, side by side; the text of a place is made only when it has changed. */
interface Look {
  readonly owners: string[];
  readonly names: string[];
  readonly values: unknown[];
}

/**
 * Remembers an object that others are about to change in place, and tells which fields are no longer what they were: the
 * members of `metadata`, `spec` and `status`, and those of the containers and their like. Values are compared by identity,
 * so that it costs a microsecond and not a copy; what is written deeper without its owner being made anew is not seen.
 */
export class ChangedFields {
  #look: Look;

  constructor(object: object) {
    this.#look = lookAt(object);
  }

  /** The fields that differ from the last look; sixteen at the most, and none with an endless name. From now on these count as they are. */
  since(object: object): readonly string[] {
    const after = lookAt(object);
    const before = this.#look;
    if (isSame(before, after)) return [];
    this.#look = after;
    const known = placesOf(before);
    const now = placesOf(after);
    const changed = [...now].filter(([place, value]) => !known.has(place) || known.get(place) !== value);
    const gone = [...known.keys()].filter((place) => !now.has(place));
    return outermost([...changed.map(([place]) => place), ...gone])
      .filter((place) => place.length <= PLACE_LENGTH_MAX)
      .slice(0, NAMED_MAX);
  }
}

/** What came or went with the list that it is in is not told apart. */
function outermost(places: readonly string[]): string[] {
  const all = new Set(places);
  return places.filter((place) => !place.includes('[') || !all.has(place.slice(0, place.lastIndexOf('['))));
}

function lookAt(object: object): Look {
  const look: Look = { owners: [], names: [], values: [] };
  addMembers(look, '', object);
  const top = look.values.length;
  for (let at = 0; at < top; at++) {
    const part = look.values[at];
    const name = look.names[at] ?? '';
    if (typeof part !== 'object' || part === null || !PARTS.has(name)) continue;
    addMembers(look, name, part);
  }
  const end = look.values.length;
  for (let at = top; at < end; at++) {
    const list = look.values[at];
    if (Array.isArray(list)) addItems(look, `${look.owners[at]}.${look.names[at]}`, list);
  }
  return look;
}

function addItems(look: Look, place: string, list: readonly unknown[]): void {
  for (let i = 0; i < list.length && i < ITEMS_MAX; i++) {
    const item = list[i];
    if (typeof item === 'object' && item !== null) addMembers(look, `${place}[${i}]`, item);
  }
}

function addMembers(look: Look, owner: string, part: object): void {
  for (const name in part) {
    if (look.values.length >= VALUES_MAX) return;
    look.owners.push(owner);
    look.names.push(name);
    look.values.push((part as { readonly [name: string]: unknown })[name]);
  }
}

function isSame(before: Look, after: Look): boolean {
  const { values } = before;
  if (values.length !== after.values.length) return false;
  for (let at = 0; at < values.length; at++) {
    if (values[at] !== after.values[at] || before.names[at] !== after.names[at]) return false;
  }
  return true;
}

function placesOf({ owners, names, values }: Look): Map<string, unknown> {
  const places = new Map<string, unknown>();
  for (const [at, name] of names.entries()) {
    const owner = owners[at] ?? '';
    places.set(owner === '' ? name : `${owner}.${name}`, values[at]);
  }
  return places;
}

const NOTHING: readonly string[] = [];

/** A member of a member: `spec.tolerations`. */
interface Place {
  readonly part: string;
  readonly field: string;
  readonly text: string;
}

function placeOf(text: string): Place {
  const dot = text.indexOf('.');
  return { part: text.slice(0, dot), field: text.slice(dot + 1), text };
}

/** Finds out what one plugin changes of an object: by what it says that it may, else by all that is to be seen. */
export class ChangeWatch {
  readonly plugin: string;
  readonly #lists = new Map<number, readonly string[]>();
  readonly #places: readonly Place[] | undefined;
  /** The only place, where there is one: as most plugins have it. */
  readonly #only: Place | undefined;

  constructor(plugin: string, changes: readonly string[] | 'anything') {
    this.plugin = plugin;
    this.#places = changes === 'anything' ? undefined : changes.map(placeOf);
    this.#only = this.#places?.length === 1 ? this.#places[0] : undefined;
  }

  /** What is compared afterwards; of one place nothing is made to remember it. */
  lookAt(object: object): unknown {
    if (this.#only !== undefined) return valueAt(object, this.#only);
    if (this.#places === undefined) return new ChangedFields(object);
    return valuesAt(object, this.#places);
  }

  /** The fields that are others than at the look. */
  changed(look: unknown, object: object): readonly string[] {
    if (this.#only !== undefined) return valueAt(object, this.#only) === look ? NOTHING : this.#named(1);
    if (this.#places === undefined) return look instanceof ChangedFields ? look.since(object) : NOTHING;
    const values = look as readonly unknown[];
    let which = 0;
    let at = 0;
    for (const place of this.#places) {
      if (valueAt(object, place) !== values[at]) which |= 1 << at;
      at++;
    }
    return which === 0 ? NOTHING : this.#named(which);
  }

  /** The same list for the same fields: it is kept with every request. */
  #named(which: number): readonly string[] {
    let named = this.#lists.get(which);
    if (named === undefined) {
      named = (this.#places ?? []).flatMap(({ text }, at) => ((which & (1 << at)) === 0 ? [] : [text]));
      this.#lists.set(which, named);
    }
    return named;
  }
}

/** By hand: an iterator and a function for each request are ten times as much garbage as the list. */
function valuesAt(object: object, places: readonly Place[]): readonly unknown[] {
  const values: unknown[] = places.slice();
  for (let at = 0; at < places.length; at++) {
    const place = places[at];
    if (place !== undefined) values[at] = valueAt(object, place);
  }
  return values;
}

function valueAt(object: object, { part, field }: Place): unknown {
  const owner = (object as { readonly [name: string]: unknown })[part];
  if (typeof owner !== 'object' || owner === null) return undefined;
  return (owner as { readonly [name: string]: unknown })[field];
}
