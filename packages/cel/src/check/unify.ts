/** Whether types fit each other, and what that says about those that are not known yet. */
import { DYN, isSameType, mapOf } from '../types.ts';
import type { Type } from '../types.ts';

/** What parameters stand for, by name. Grows while an expression is checked; a try that fails leaves no trace. */
export class Bindings {
  readonly #known = new Map<string, Type>();
  /** What the try under way has changed, newest last. */
  #trail: (readonly [name: string, before: Type | undefined])[] = [];
  #fresh = 0;

  /** A type that nothing is known of yet. */
  unknown(): Type {
    return { kind: 'parameter', name: `_var${this.#fresh++}` };
  }

  /** The same type with parameters of its own, so that two uses of one signature do not meet. */
  renamed(types: readonly Type[]): readonly Type[] {
    const own = new Map<string, Type>();
    return types.map((type) =>
      replaceParameters(type, (name) => {
        const known = own.get(name) ?? this.unknown();
        own.set(name, known);
        return known;
      }),
    );
  }

  /** Whether values of these types may stand where those are wanted; what follows from it is remembered. */
  fit(wanted: readonly Type[], given: readonly Type[]): boolean {
    this.#trail = [];
    if (wanted.length === given.length && wanted.every((type, i) => this.#fits(type, given[i] ?? DYN))) return true;
    for (const [name, before] of this.#trail.toReversed()) {
      if (before === undefined) this.#known.delete(name);
      else this.#known.set(name, before);
    }
    return false;
  }

  /** A type with what is known filled in; what nobody knows stays, or is dyn where `isFinal`. */
  resolve(type: Type, isFinal = false): Type {
    return replaceParameters(type, (name, parameter) => {
      const known = this.#known.get(name);
      if (known === undefined) return isFinal ? DYN : parameter;
      return this.resolve(known, isFinal);
    });
  }

  #look(type: Type): Type {
    let at = type;
    while (at.kind === 'parameter') {
      const known = this.#known.get(at.name);
      if (known === undefined) return at;
      at = known;
    }
    return at;
  }

  #fits(one: Type, other: Type): boolean {
    const wanted = this.#look(one);
    const given = this.#look(other);
    if (wanted.kind === 'parameter') return this.#bind(wanted, given);
    if (given.kind === 'parameter') return this.#bind(given, wanted);
    if (isAnything(wanted) || isAnything(given)) {
      if (given.kind === 'dyn') this.#loosen(one);
      if (wanted.kind === 'dyn') this.#loosen(other);
      return true;
    }
    if (isNull(given) || isNull(wanted)) return takesNull(isNull(given) ? wanted : given);
    switch (wanted.kind) {
      case 'list':
      case 'optional':
        return given.kind === wanted.kind && this.#fits(wanted.of, given.of);
      case 'type':
        return given.kind === 'type';
      case 'map':
        return given.kind === 'map' && this.#fits(wanted.key, given.key) && this.#fits(wanted.of, given.of);
      default:
        return isSameType(wanted, given);
    }
  }

  #bind(parameter: Type & { kind: 'parameter' }, type: Type): boolean {
    if (type.kind === 'parameter' && type.name === parameter.name) return true;
    if (mentions(this.resolve(type), parameter.name)) return false;
    this.#learn(parameter.name, type);
    return true;
  }

  #learn(name: string, type: Type): void {
    this.#trail.push([name, this.#known.get(name)]);
    this.#known.set(name, type);
  }

  /** A parameter that stood for something and meets dyn stands for anything from now on. */
  #loosen(type: Type): void {
    if (type.kind === 'parameter') this.#learn(type.name, DYN);
  }
}

function isAnything(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

function isNull(type: Type): boolean {
  return type.kind === 'plain' && type.name === 'null_type';
}

/** Null may stand for objects and what is made of objects, and for null. */
function takesNull(type: Type): boolean {
  if (type.kind === 'object' || type.kind === 'optional') return true;
  return type.kind === 'plain' && !['bool', 'int', 'uint', 'double', 'string', 'bytes'].includes(type.name);
}

function mentions(type: Type, name: string): boolean {
  switch (type.kind) {
    case 'parameter':
      return type.name === name;
    case 'list':
    case 'optional':
    case 'type':
      return mentions(type.of, name);
    case 'map':
      return mentions(type.key, name) || mentions(type.of, name);
    default:
      return false;
  }
}

function replaceParameters(type: Type, by: (name: string, parameter: Type) => Type): Type {
  switch (type.kind) {
    case 'parameter':
      return by(type.name, type);
    case 'list':
    case 'optional':
    case 'type':
      return { kind: type.kind, of: replaceParameters(type.of, by) };
    case 'map':
      return mapOf(replaceParameters(type.key, by), replaceParameters(type.of, by));
    default:
      return type;
  }
}
