/**
 * Sets of fields that were met before. Objects that one program makes have the same fields again and again: their set
 * is found member by member along a path of steps, and made only where nobody went before. What is found is shared by all
 * objects that have it, so it is frozen, and they weigh the less.
 *
 *     start ──f:name {}──▶ ○ ──f:spec {…}──▶ ●  {"f:name":{},"f:spec":{…}}
 *                          └───f:data {…}──▶ ●  {"f:data":{…},"f:name":{}}
 */
import { isEmptySet, NO_FIELDS, SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';

/** Names as long as this are seldom met again. */
const ELEMENT_MAX = 256;
/** So are sets of that many members. */
const MEMBERS_MAX = 512;
/** What a step weighs beside its element, in bytes, with its share of the set at its end. */
const STEP_WEIGHT = 200;

/** One member more than the step before. */
export class SetStep {
  readonly previous: SetStep | undefined;
  readonly element: string;
  readonly fields: FieldSet;
  readonly members: number;
  /** The step that was the first to follow: mostly the only one. */
  next: SetStep | undefined;
  others: Map<FieldSet, Map<string, SetStep>> | undefined;
  set: FieldSet | undefined;

  constructor(previous: SetStep | undefined, element: string, fields: FieldSet) {
    this.previous = previous;
    this.element = element;
    this.fields = fields;
    this.members = previous === undefined ? 0 : previous.members + 1;
  }
}

/** Finds sets by their members. Bounded: what it knows is forgotten when it weighs too much. */
export class KnownSets {
  readonly #bytesMax: number;
  #bytes = 0;
  #whole = startOf(false);
  #part = startOf(true);
  /** How many members more the set may have that is looked for. */
  #room = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** About as much as all steps weigh that are known. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Before the first member of an object. */
  get whole(): SetStep {
    return this.#whole;
  }

  /** Before the first member of a place that is in the set itself. */
  get part(): SetStep {
    return this.#part;
  }

  /** Whether it was made here: nobody writes into it. */
  has(set: FieldSet): boolean {
    return sets.has(set);
  }

  /** With one member more. Of an element that comes twice the last one counts. */
  with(step: SetStep, element: string, fields: FieldSet): SetStep {
    const { next } = step;
    if (next !== undefined && next.fields === fields && next.element === element) return next;
    return step.others?.get(fields)?.get(element) ?? this.#newStep(step, element, fields);
  }

  /** The shared set that is as this one; undefined for what is no set, and for one too large to come again. */
  sharedOf(set: object): FieldSet | undefined {
    this.#room = MEMBERS_MAX;
    return this.#sharedOf(set);
  }

  #sharedOf(set: object): FieldSet | undefined {
    let step = Object.hasOwn(set, SELF) ? this.#part : this.#whole;
    for (const element in set) {
      if (element === SELF) continue;
      const inner = (set as { readonly [element: string]: unknown })[element];
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner) || --this.#room < 0) return undefined;
      const shared = isEmptySet(inner as FieldSet) ? NO_FIELDS : this.#sharedOf(inner);
      if (shared === undefined) return undefined;
      step = this.with(step, element, shared);
    }
    return setAt(step);
  }

  #newStep(step: SetStep, element: string, fields: FieldSet): SetStep {
    const made = new SetStep(step, element, fields);
    if (element.length > ELEMENT_MAX || step.members >= MEMBERS_MAX) return made;
    this.#weigh(element);
    if (step.next === undefined) step.next = made;
    else {
      step.others ??= new Map<FieldSet, Map<string, SetStep>>();
      let named = step.others.get(fields);
      if (named === undefined) step.others.set(fields, (named = new Map<string, SetStep>()));
      named.set(element, made);
    }
    return made;
  }

  #weigh(element: string): void {
    this.#bytes += STEP_WEIGHT + element.length * 2;
    if (this.#bytes <= this.#bytesMax) return;
    this.#bytes = 0;
    this.#whole = startOf(false);
    this.#part = startOf(true);
  }
}

/** Both sorts of start are steps without an element; the second one has the set's own place in it. */
function startOf(isPart: boolean): SetStep {
  return new SetStep(undefined, isPart ? SELF : '', NO_FIELDS);
}

/** The set at the end of a path: its elements in order, frozen. */
export function setAt(end: SetStep): FieldSet {
  return (end.set ??= makeSet(end));
}

const sets = new WeakSet<FieldSet>();

function makeSet(end: SetStep): FieldSet {
  const steps: SetStep[] = [];
  let step: SetStep = end;
  for (; step.previous !== undefined; step = step.previous) steps.push(step);
  // As they came, so that the last one of an element counts.
  steps.reverse().sort((a, b) => (a.element < b.element ? -1 : a.element > b.element ? 1 : 0));
  const set: { [element: string]: FieldSet } = {};
  if (step.element === SELF) set[SELF] = NO_FIELDS;
  for (const { element, fields } of steps) set[element] = fields;
  sets.add(set);
  return Object.freeze(set);
}
