/**
 * Field sets as they go on the wire, `fieldsV1`: a leaf goes without its `.`, elements are in order. Sets that are
 * alike are one and the same object, and what was read of one, or written as one, is remembered: most writes of an object
 * leave most of its owners as they were.
 */
import { isEmptySet, LEAF, NO_FIELDS, readFieldSet, SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { KnownSets, setAt } from './known-sets.ts';

/** Some ten thousand different objects. */
export const knownWireSets = new KnownSets(8 << 20);
/** What sets are on the wire, and what they are that were written here. Both go with the sets. */
const written = new WeakMap<FieldSet, FieldSet>();
const readings = new WeakMap<FieldSet, FieldSet>();

/** Reads `fieldsV1`. Throws DecodeError for what is none. */
export function readWireFields(fields: object): FieldSet {
  const known = readings.get(fields as FieldSet);
  if (known !== undefined) return known;
  // Who changes an object sends the sets back that it came with. Others may write into theirs: the shared one is kept.
  const shared = knownWireSets.has(fields as FieldSet) ? (fields as FieldSet) : knownWireSets.sharedOf(fields);
  if (shared === undefined) return readFieldSet(fields);
  const before = readings.get(shared);
  if (before !== undefined) return before;
  const read = readFieldSet(fields);
  remember(read, shared);
  return read;
}

/** The set as it goes on the wire, frozen. */
export function writeWireFields(set: FieldSet): FieldSet {
  const known = written.get(set);
  if (known !== undefined) return known;
  const wire = wireOf(set);
  remember(set, wire);
  return wire;
}

/** One reading of each is enough. */
function remember(set: FieldSet, wire: FieldSet): void {
  if (readings.has(wire)) return;
  readings.set(wire, set);
  written.set(set, wire);
}

function wireOf(set: FieldSet): FieldSet {
  const isPart = set[SELF] !== undefined;
  let step = isPart ? knownWireSets.part : knownWireSets.whole;
  for (const element in set) {
    if (element !== SELF) step = knownWireSets.with(step, element, innerOf(set[element] ?? NO_FIELDS));
  }
  return setAt(step);
}

/** A place with nothing below it is told by its element alone. */
function innerOf(set: FieldSet): FieldSet {
  if (set === LEAF || isEmptySet(set)) return NO_FIELDS;
  const wire = wireOf(set);
  for (const element in wire) if (element !== SELF) return wire;
  return NO_FIELDS;
}
