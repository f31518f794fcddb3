/** Gives every part of an expression its type, and every call the overloads that it may mean. */
import { CompileError } from '../errors.ts';
import type { Issue } from '../errors.ts';
import type { Overload } from '../functions/overload.ts';
import { pathOf } from '../syntax/parse.ts';
import { ACCUMULATOR } from '../syntax/tree.ts';
import type {
  BindNode,
  CallNode,
  FoldNode,
  ListNode,
  LiteralNode,
  MapNode,
  Node,
  SelectNode,
  StructNode,
} from '../syntax/tree.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isAsGeneral,
  isSameType,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  typeOf,
  UINT,
} from '../types.ts';
import type { ObjectType, Type } from '../types.ts';
import { Uint } from '../values.ts';
import { TYPE_NAMES } from './environment.ts';
import type { Environment } from './environment.ts';
import { literalMistake } from './literals.ts';
import { mixedLiterals } from './mixed-literals.ts';
import { Bindings } from './unify.ts';

/** More mistakes than this are not listed. */
const ISSUES_MAX = 100;

/** A tree with what its parts are. */
export interface Checked {
  readonly source: string;
  readonly root: Node;
  readonly types: ReadonlyMap<Node, Type>;
  /** Overloads that a call may mean; those that are looked at by how they are written have none. */
  readonly overloads: ReadonlyMap<Node, readonly Overload[]>;
  /** Names and paths that mean a type or an outer variable, by that name. */
  readonly references: ReadonlyMap<Node, string>;
  /** Calls of functions whose names have dots: what stands before the last is no receiver. */
  readonly qualified: ReadonlyMap<Node, string>;
}

/** Checks a tree. Throws CompileError. */
export function check(source: string, root: Node, environment: Environment): Checked {
  const checker = new Checker(environment);
  checker.check(root);
  const findings = checker.findings();
  const issues =
    environment.isHomogeneous && checker.issues.length === 0 ? mixedLiterals(root, findings.types) : checker.issues;
  if (issues.length > 0) throw new CompileError(source, issues.slice(0, ISSUES_MAX));
  return { source, root, ...findings };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: Environment;
  readonly #bindings = new Bindings();
  readonly #types = new Map<Node, Type>();
  readonly #overloads = new Map<Node, readonly Overload[]>();
  readonly #references = new Map<Node, string>();
  readonly #qualified = new Map<Node, string>();
  /** Variables of folds and binds, the innermost last. */
  readonly #locals = new Map<string, Type[]>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  findings(): Omit<Checked, 'source' | 'root'> {
    const types = new Map<Node, Type>();
    for (const [node, type] of this.#types) types.set(node, this.#bindings.resolve(type, true));
    return { types, overloads: this.#overloads, references: this.#references, qualified: this.#qualified };
  }

  check(node: Node): Type {
    const type = this.#typeOf(node);
    this.#types.set(node, type);
    return type;
  }

  #typeOf(node: Node): Type {
    switch (node.kind) {
      case 'literal':
        return literalType(node);
      case 'name':
        return this.#name(node, node.name);
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
        return this.#fold(node);
      default:
        return this.#bind(node);
    }
  }

  #name(node: Node, written: string): Type {
    const name = written.replace(/^\./, '');
    const local = written === name ? this.#locals.get(name)?.at(-1) : undefined;
    return (
      local ??
      this.#declared(node, name) ??
      this.#fail(node.at, `undeclared reference to '${written}' (in container '')`)
    );
  }

  /** An outer variable or a type of this name. */
  #declared(node: Node, name: string): Type | undefined {
    const variable = this.#environment.variables.get(name);
    const type = variable ?? TYPE_NAMES.get(name) ?? this.#environment.objects.get(name);
    if (type === undefined) return undefined;
    this.#references.set(node, name);
    return variable ?? typeOf(type);
  }

  #select(node: SelectNode): Type {
    const path = node.isTest ? undefined : pathOf(node);
    if (path !== undefined && this.#locals.get(path.replace(/\..*$/, '')) === undefined) {
      const declared = this.#declared(node, path.replace(/^\./, ''));
      if (declared !== undefined) return declared;
    }
    const type = this.#field(node, this.check(node.operand), { field: node.field, isOptional: false });
    return node.isTest ? BOOL : type;
  }

  #field(node: Node, operand: Type, { field, isOptional }: { field: string; isOptional: boolean }): Type {
    const given = this.#bindings.resolve(operand);
    const inner = given.kind === 'optional' ? this.#bindings.resolve(given.of) : given;
    const found = this.#member(node, inner, field);
    return isOptional || given.kind === 'optional' ? optionalOf(found) : found;
  }

  #member(node: Node, type: Type, field: string): Type {
    if (type.kind === 'map') return type.of;
    if (type.kind === 'object') return type.field(field) ?? this.#fail(node.at, `undefined field '${field}'`);
    if (type.kind === 'parameter') this.#bindings.fit([DYN], [type]);
    else if (type.kind !== 'dyn' && type.kind !== 'error') {
      this.#fail(node.at, `type '${formatType(type)}' does not support field selection`);
    }
    return DYN;
  }

  #call(node: CallNode): Type {
    if (node.name === '_?._') return this.#optionalSelect(node);
    const args = node.args.map((arg) => this.check(arg));
    if (node.name === '_&&_' || node.name === '_||_') return this.#junction(node, args);
    if (node.target === undefined)
      return this.#resolve(node, { name: node.name.replace(/^\./, ''), args, isMember: false });
    const path = pathOf(node.target);
    const qualified = path === undefined ? undefined : `${path.replace(/^\./, '')}.${node.name}`;
    if (qualified !== undefined && this.#environment.functions.has(qualified)) {
      this.#qualified.set(node, qualified);
      return this.#resolve(node, { name: qualified, args, isMember: false });
    }
    return this.#resolve(node, { name: node.name, args: [this.check(node.target), ...args], isMember: true });
  }

  #optionalSelect(node: CallNode): Type {
    const [operand, field] = node.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR;
    this.check(field);
    return this.#field(node, this.check(operand), { field: field.value, isOptional: true });
  }

  #junction(node: CallNode, args: readonly Type[]): Type {
    args.forEach((type, i) => this.#mustFit(node.args[i]?.at ?? node.at, BOOL, type));
    return BOOL;
  }

  #resolve(node: CallNode, call: { name: string; args: readonly Type[]; isMember: boolean }): Type {
    const { name, args, isMember } = call;
    const known = this.#environment.functions.get(name);
    if (known === undefined) return this.#fail(node.at, `undeclared reference to '${name}' (in container '')`);
    const found: Overload[] = [];
    let result: Type | undefined;
    for (const one of known) {
      if (one.isMember !== isMember || one.parameters.length !== args.length) continue;
      const [answer = DYN, ...parameters] = this.#bindings.renamed([one.result, ...one.parameters]);
      if (!this.#bindings.fit(parameters, args)) continue;
      found.push(one);
      const type = this.#bindings.resolve(answer);
      result = result === undefined || isSameType(result, type) ? type : DYN;
    }
    if (result === undefined) return this.#fail(node.at, this.#noOverload(name, args, isMember));
    this.#overloads.set(node, found);
    const mistake = literalMistake(name, node);
    if (mistake !== undefined) this.#fail(mistake.at, mistake.message);
    return result;
  }

  #noOverload(name: string, args: readonly Type[], isMember: boolean): string {
    const shown = args.map((type) => formatType(this.#bindings.resolve(type, true)));
    const applied = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return `found no matching overload for '${name}' applied to '${applied}'`;
  }

  #list(node: ListNode): Type {
    let joined: Type | undefined;
    node.items.forEach((item, i) => {
      const type = this.#maybeOptional(item, this.check(item), node.optional.has(i));
      joined = this.#join(joined, type);
    });
    return listOf(joined ?? this.#bindings.unknown());
  }

  #map(node: MapNode): Type {
    let key: Type | undefined;
    let of: Type | undefined;
    for (const entry of node.entries) {
      key = this.#join(key, this.#keyType(this.check(entry.key)));
      of = this.#join(of, this.#maybeOptional(entry.value, this.check(entry.value), entry.isOptional));
    }
    return mapOf(key ?? this.#bindings.unknown(), of ?? this.#bindings.unknown());
  }

  /** Keys are scalars; what is none fails when it runs, and its type must not grow without bound before. */
  #keyType(type: Type): Type {
    const resolved = this.#bindings.resolve(type);
    return resolved.kind === 'plain' || resolved.kind === 'parameter' ? type : DYN;
  }

  /** `?x` where an item stands: the value of an optional. */
  #maybeOptional(node: Node, type: Type, isOptional: boolean): Type {
    if (!isOptional) return type;
    const given = this.#bindings.resolve(type);
    if (given.kind === 'optional') return given.of;
    if (given.kind !== 'dyn' && given.kind !== 'error') this.#mustFit(node.at, optionalOf(given), given);
    return DYN;
  }

  #join(before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    if (this.#bindings.fit([before], [type]))
      return isAsGeneral(this.#bindings.resolve(before), this.#bindings.resolve(type)) ? before : type;
    return DYN;
  }

  #struct(node: StructNode): Type {
    const name = node.name.replace(/^\./, '');
    const declared = this.#environment.objects.get(name);
    for (const { value } of node.fields) this.check(value);
    if (declared === undefined) {
      const known = TYPE_NAMES.get(name);
      if (known !== undefined) return this.#fail(node.at, `'${formatType(known)}' is not a message type`);
      return this.#fail(node.at, `undeclared reference to '${node.name}' (in container '')`);
    }
    this.#references.set(node, name);
    for (const field of node.fields) this.#structField(declared, field);
    return declared;
  }

  #structField(declared: ObjectType, { at, name, value, isOptional }: StructNode['fields'][number]): void {
    const wanted = declared.field(name);
    if (wanted === undefined) {
      this.#fail(at, `undefined field '${name}'`);
      return;
    }
    const given = this.#maybeOptional(value, this.#types.get(value) ?? DYN, isOptional);
    if (this.#bindings.fit([wanted], [given])) return;
    const [is, but] = [formatType(wanted), formatType(this.#bindings.resolve(given, true))];
    this.#fail(at, `expected type of field '${name}' is '${is}' but provided type is '${but}'`);
  }

  #fold(node: FoldNode): Type {
    const range = this.#bindings.resolve(this.check(node.range));
    const start = this.check(node.start);
    const { first, second } = this.#rangeTypes(node, range);
    return this.#within([[ACCUMULATOR, start]], () => {
      const names: [string, Type][] =
        node.second === undefined
          ? [[node.first, first]]
          : [
              [node.first, first],
              [node.second, second],
            ];
      this.#within(names, () => {
        this.#mustFit(node.condition.at, BOOL, this.check(node.condition));
        this.#mustFit(node.step.at, start, this.check(node.step));
      });
      return this.#bindings.resolve(this.check(node.result));
    });
  }

  #rangeTypes(node: FoldNode, range: Type): { first: Type; second: Type } {
    const isPair = node.second !== undefined;
    switch (range.kind) {
      case 'list':
        return { first: isPair ? INT : range.of, second: range.of };
      case 'map':
        return { first: range.key, second: range.of };
      case 'parameter':
        this.#bindings.fit([DYN], [range]);
        return { first: DYN, second: DYN };
      case 'dyn':
      case 'error':
        return { first: DYN, second: DYN };
      default:
        this.#fail(
          node.range.at,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return { first: ERROR, second: ERROR };
    }
  }

  #bind(node: BindNode): Type {
    const value = this.check(node.value);
    return this.#within([[node.name, value]], () => this.check(node.body));
  }

  #within<T>(variables: readonly (readonly [string, Type])[], work: () => T): T {
    for (const [name, type] of variables) {
      const shadowed = this.#locals.get(name);
      if (shadowed === undefined) this.#locals.set(name, [type]);
      else shadowed.push(type);
    }
    const result = work();
    for (const [name] of variables) {
      const types = this.#locals.get(name);
      types?.pop();
      if (types?.length === 0) this.#locals.delete(name);
    }
    return result;
  }

  #mustFit(at: number, wanted: Type, given: Type): void {
    if (!this.#bindings.fit([wanted], [given])) this.#mismatch(at, wanted, given);
  }

  #mismatch(at: number, wanted: Type, given: Type): Type {
    const [is, but] = [wanted, given].map((type) => formatType(this.#bindings.resolve(type, true)));
    return this.#fail(at, `expected type '${is}' but found '${but}'`);
  }

  #fail(at: number, message: string): Type {
    this.issues.push({ at, message });
    return ERROR;
  }
}

function literalType({ value }: LiteralNode): Type {
  switch (typeof value) {
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    default:
      return value === null ? NULL : value instanceof Uint ? UINT : BYTES;
  }
}
