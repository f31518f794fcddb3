/** From checked trees to closures that run: names are slots, overloads are chosen, literals are values already. */
import type { Checked } from '../check/checker.ts';
import { LIST_COST, MAP_COST, STRUCT_COST } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import type { Overload } from '../functions/overload.ts';
import { choose } from '../functions/overload.ts';
import { ACCUMULATOR } from '../syntax/tree.ts';
import type { BindNode, CallNode, ListNode, MapNode, NameNode, Node, SelectNode, StructNode } from '../syntax/tree.ts';
import { CelMap, keyOf, Optional, StructValue, TypeValue } from '../values.ts';
import type { Value } from '../values.ts';
import { itemAt, memberOf, toTruth, shownKey } from './access.ts';
import { planFold } from './fold.ts';
import { Failure, PENDING } from './frame.ts';
import type { Plan, Run } from './closure.ts';

/** Makes the closures of an expression; outer variables are the first slots, in the order given. */
export function planExpression(checked: Checked, variables: readonly string[]): { run: Run; slots: number } {
  const planner = new Planner(checked, variables);
  const run = planner.plan(checked.root);
  return { run, slots: planner.slots };
}

class Planner implements Plan {
  readonly checked: Checked;
  /** How many slots are in use anywhere. */
  slots: number;
  readonly #outer: ReadonlyMap<string, number>;
  readonly #locals = new Map<string, { slot: number; value?: Run }[]>();

  constructor(checked: Checked, variables: readonly string[]) {
    this.checked = checked;
    this.#outer = new Map(variables.map((name, slot) => [name, slot]));
    this.slots = variables.length;
  }

  plan(node: Node): Run {
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'name':
        return this.#name(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'fold':
        return planFold(node, this);
      default:
        return this.#bind(node);
    }
  }

  within<T>(names: readonly string[], make: (slots: readonly number[]) => T): T {
    const slots = names.map((name) => this.#push(name));
    const made = make(slots);
    for (const name of names) this.#locals.get(name)?.pop();
    return made;
  }

  #push(name: string, value?: Run): number {
    const local = { slot: this.slots++, ...(value === undefined ? {} : { value }) };
    const known = this.#locals.get(name);
    if (known === undefined) this.#locals.set(name, [local]);
    else known.push(local);
    return local.slot;
  }

  #name(node: NameNode): Run {
    const local = node.name.startsWith('.') ? undefined : this.#locals.get(node.name)?.at(-1);
    if (local === undefined) return this.#reference(this.checked.references.get(node) ?? node.name);
    const { slot, value } = local;
    return (frame) => {
      frame.charge(1);
      const found = frame.slots[slot];
      if (found instanceof Failure) throw found.error;
      if (found !== PENDING) return found as Value;
      const made = value === undefined ? null : value(frame);
      frame.slots[slot] = made;
      return made;
    };
  }

  #reference(name: string): Run {
    const slot = this.#outer.get(name);
    if (slot === undefined) {
      const type = new TypeValue(name);
      return () => type;
    }
    return (frame) => {
      frame.charge(1);
      const found = frame.slots[slot];
      if (found === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      return found as Value;
    };
  }

  #select(node: SelectNode): Run {
    const reference = this.checked.references.get(node);
    if (reference !== undefined) return this.#reference(reference);
    const operand = this.plan(node.operand);
    const { field } = node;
    if (node.isTest) return (frame) => memberOf(operand(frame), field) !== undefined;
    return (frame) => {
      const value = operand(frame);
      frame.charge(1);
      const found = memberOf(value, field);
      if (value instanceof Optional) return new Optional(found);
      if (found === undefined) throw new EvaluationError(`no such key: ${field}`);
      return found;
    };
  }

  #call(node: CallNode): Run {
    const [first, second, third] = node.args.map((arg) => this.plan(arg));
    if (first !== undefined && second !== undefined) {
      if (node.name === '_&&_' || node.name === '_||_') return junction(node.name === '_||_', first, second);
      if (node.name === '_?_:_' && third !== undefined) {
        return (frame) => (toTruth(first(frame)) ? second(frame) : third(frame));
      }
      if (node.name === '_[_]' || node.name === '_[?_]') return indexed(first, second, node.name === '_[?_]');
      if (node.name === '_?._') return indexed(first, second, true);
    }
    if (node.name === '@not_strictly_false' && first !== undefined) return notStrictlyFalse(first);
    if (first !== undefined && this.#isAppended(node)) return this.#append(node, first);
    return this.#overloaded(node);
  }

  /** What a fold gathers is its own until it is done: an item is put into the list in place. */
  #isAppended(node: CallNode): boolean {
    const [to, item] = node.args;
    return node.name === '_+_' && to?.kind === 'name' && to.name === ACCUMULATOR && item?.kind === 'list';
  }

  #append(node: CallNode, list: Run): Run {
    const [, items] = node.args;
    const [item] = items?.kind === 'list' ? items.items : [];
    const made = item === undefined ? () => null : this.plan(item);
    return (frame) => {
      const gathered = list(frame) as Value[];
      gathered.push(made(frame));
      frame.charge(LIST_COST + 1);
      return gathered;
    };
  }

  #overloaded(node: CallNode): Run {
    const isQualified = this.checked.qualified.has(node);
    const nodes = node.target === undefined || isQualified ? node.args : [node.target, ...node.args];
    const args = nodes.map((arg) => this.plan(arg));
    const candidates = this.checked.overloads.get(node) ?? [];
    const [only] = candidates;
    const isSure = candidates.length === 1 && nodes.every((arg) => isSettled(this.checked.types.get(arg)?.kind));
    return (frame) => {
      const values: Value[] = [];
      for (const arg of args) values.push(arg(frame));
      const chosen = isSure ? (only as Overload) : choose(candidates, values);
      const { cost } = chosen;
      if (cost.isOfAnswer !== true) frame.charge(cost.count(values, null));
      const result = chosen.run(values, frame);
      if (cost.isOfAnswer === true) frame.charge(cost.count(values, result));
      return result;
    };
  }

  #list(node: ListNode): Run {
    const items = node.items.map((item) => this.plan(item));
    const { optional } = node;
    if (items.length > 0 && node.items.every(({ kind }) => kind === 'literal') && optional.size === 0) {
      const constant = node.items.map((item) => (item.kind === 'literal' ? item.value : null));
      return () => constant;
    }
    return (frame) => {
      const list: Value[] = [];
      for (const [i, item] of items.entries()) {
        const value = item(frame);
        if (!optional.has(i)) list.push(value);
        else if (!(value instanceof Optional)) throw notOptional(value);
        else if (value.value !== undefined) list.push(value.value);
      }
      frame.charge(LIST_COST);
      return list;
    };
  }

  #map(node: MapNode): Run {
    const entries = node.entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }));
    return (frame) => {
      const map = new CelMap();
      for (const { key, value, isOptional } of entries) {
        const name = key(frame);
        if (!isKey(name)) throw new EvaluationError('unsupported key type');
        const given = value(frame);
        if (isOptional && !(given instanceof Optional)) throw notOptional(given, name);
        const made = isOptional ? (given as Optional).value : given;
        if (made !== undefined && !map.insert(name, made)) {
          throw new EvaluationError('failed to create map: key already exists');
        }
      }
      frame.charge(MAP_COST);
      return map;
    };
  }

  #struct(node: StructNode): Run {
    const name = this.checked.references.get(node) ?? node.name;
    const fields = node.fields.map((field) => ({ ...field, run: this.plan(field.value) }));
    return (frame) => {
      const made = new Map<string, Value>();
      for (const field of fields) {
        const given = field.run(frame);
        if (field.isOptional && !(given instanceof Optional)) throw notOptional(given, field.name);
        const value = field.isOptional ? (given as Optional).value : given;
        if (value !== undefined) made.set(field.name, value);
      }
      frame.charge(STRUCT_COST);
      return new StructValue(name, made);
    };
  }

  #bind(node: BindNode): Run {
    const value = this.plan(node.value);
    const slot = this.#push(node.name, value);
    const body = this.plan(node.body);
    this.#locals.get(node.name)?.pop();
    return (frame) => {
      frame.slots[slot] = PENDING;
      return body(frame);
    };
  }
}

/** Its values need not be looked at to know their type. */
function isSettled(kind: string | undefined): boolean {
  return kind !== undefined && kind !== 'dyn' && kind !== 'error';
}

function isKey(value: Value): boolean {
  return typeof value !== 'number' && keyOf(value) !== undefined;
}

/** `entry`: its key or name; an item of a list has none. */
function notOptional(value: Value, entry?: Value): EvaluationError {
  const where = entry === undefined ? 'list element' : `entry '${shownKey(entry)}'`;
  return new EvaluationError(`cannot initialize optional ${where} from non-optional value ${shownKey(value)}`);
}

/** One side that decides makes a failure of the other harmless. */
function junction(decisive: boolean, left: Run, right: Run): Run {
  return (frame) => {
    let failure: EvaluationError | undefined;
    try {
      if (toTruth(left(frame)) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failure = error;
    }
    if (toTruth(right(frame)) === decisive) return decisive;
    if (failure !== undefined) throw failure;
    return !decisive;
  };
}

function notStrictlyFalse(test: Run): Run {
  return (frame) => {
    frame.charge(1);
    try {
      return test(frame) !== false;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return true;
    }
  };
}

function indexed(from: Run, at: Run, isOptional: boolean): Run {
  return (frame) => {
    const container = from(frame);
    const key = at(frame);
    frame.charge(1);
    const isMaybe = isOptional || container instanceof Optional;
    const found = itemAt(container, key, isMaybe);
    return isMaybe ? new Optional(found) : (found as Value);
  };
}
