/** The rules of a custom kind, run over its objects: within one budget, with what may stay as it was. */
import {
  CostError,
  declare,
  escapeName,
  EvaluationError,
  Optional,
  valueBySchema,
  withResourceFields,
} from '@binnacle/cel';
import type { Declared, Outcome, Program, Value } from '@binnacle/cel';
import { assert, atOnce, walkInPieces } from '@binnacle/base';
import type { Pieces, Walk } from '@binnacle/base';
import { FieldError, OMITTED_VALUE } from '@binnacle/machinery';
import { itemsOf, additionalSchemaOf } from './schema-parts.ts';
import type { SchemaProps } from '@binnacle/machinery/structural';
import { RuleCompiler, rulesOf } from './compile-rules.ts';
import type { CompiledRule } from './compile-rules.ts';
import { belowField, belowItem, Correlated, itemsBefore, mayStay, memberOf, NEW } from './correlation.ts';
import type { Standing } from './correlation.ts';

/** What one object's rules may cost together, and what one rule may, in upstream's units. */
const BUDGET = 10_000_000;
const CALL_MAX = 1_000_000;
const MESSAGE_BYTES_MAX = 5 * 1024;
const NO_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** A place of a schema that has rules, or has some below it. */
interface RuleNode {
  readonly props: SchemaProps;
  readonly isResource: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  /** Rules of `allOf` at this place. */
  readonly also: readonly RuleNode[];
}

export interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** What is wrong and was wrong before. */
  readonly warnings: readonly string[];
}

/** Runs rules over an object, with rests in between; `before` is absent for a new one. */
export type ObjectRules = (object: unknown, before?: unknown) => Pieces<RuleFindings>;

/** What rules cost between two rests, in upstream's units: some hundred microseconds. A single rule is not cut. */
const PIECE_COST = 10_000;

/** Compiles the rules of a custom kind's schema, or of a place in it; undefined: it has none. */
export function objectRules(schema: SchemaProps, isResource = true): ObjectRules | undefined {
  return atOnce(piecesOfRules(schema, isResource));
}

/** Rule by rule, for who has others wait: a schema may have thousands. */
export function* piecesOfRules(schema: SchemaProps, isResource = true): Pieces<ObjectRules | undefined> {
  const declared = declare(schema, 'selfType', isResource);
  const node = yield* compileNode({ own: schema, spine: schema, declared, isResource }, new RuleCompiler());
  if (node === undefined) return undefined;
  return function* (object, before) {
    const run = new Run();
    yield* walkInPieces(run.node(node, { path: '', value: object, before, standing: standingOf(object, before) }));
    return { errors: run.errors, warnings: run.warnings };
  };
}

function standingOf(object: unknown, before: unknown): Standing {
  return before === undefined ? NEW : { here: new Correlated(object, before), above: undefined };
}

interface Compiling {
  /** Where rules are looked for: the schema itself, or a part of `allOf`. */
  readonly own: SchemaProps;
  /** Where types are. */
  readonly spine: SchemaProps;
  readonly declared: Declared | undefined;
  readonly isResource: boolean;
}

function* compileNode(
  { own, spine, declared, isResource }: Compiling,
  compiler: RuleCompiler,
): Pieces<RuleNode | undefined> {
  const rules: CompiledRule[] = [];
  if (rulesOf(own).length > 0 && declared !== undefined) {
    const props = { ...spine, 'x-kubernetes-validations': own['x-kubernetes-validations'] ?? [] };
    for (const compileOne of compiler.toCompile(props, declared)) {
      rules.push(compileOne());
      yield;
    }
  }
  const below = function* (part: SchemaProps | undefined, of: SchemaProps | undefined): Pieces<RuleNode | undefined> {
    if (part === undefined || of === undefined) return undefined;
    const isInner = of['x-kubernetes-embedded-resource'] === true;
    return yield* compileNode({ own: part, spine: of, declared: declared?.element, isResource: isInner }, compiler);
  };
  const properties = yield* compileProperties({ own, spine, declared, isResource }, compiler);
  const additional = yield* below(additionalSchemaOf(own), additionalSchemaOf(spine));
  const items = yield* below(itemsOf(own), itemsOf(spine));
  const also: RuleNode[] = [];
  for (const part of own.allOf ?? []) {
    const one = yield* compileNode({ own: part, spine, declared, isResource }, compiler);
    if (one !== undefined) also.push(one);
  }
  const isEmpty = rules.length + properties.size + also.length === 0;
  if (isEmpty && additional === undefined && items === undefined) return undefined;
  return { props: spine, isResource, rules, properties, additional, items, also };
}

function* compileProperties(
  { own, spine, declared }: Compiling,
  compiler: RuleCompiler,
): Pieces<ReadonlyMap<string, RuleNode>> {
  const nodes = new Map<string, RuleNode>();
  for (const [name, part] of Object.entries(own.properties ?? {})) {
    const inner = memberOf(spine.properties ?? {}, name) as SchemaProps | undefined;
    if (inner === undefined) continue;
    const isResource = inner['x-kubernetes-embedded-resource'] === true;
    const escaped = escapeName(name);
    const type = escaped === undefined ? declare(inner, 'selfType', isResource) : declared?.fields?.get(escaped);
    const node = yield* compileNode({ own: part, spine: inner, declared: type, isResource }, compiler);
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

interface Visit {
  readonly path: string;
  readonly value: unknown;
  readonly before: unknown;
  readonly standing: Standing;
}

/** A rule, and where it is looked at. */
interface Telling {
  readonly compiled: CompiledRule;
  readonly visit: Visit;
  /** Of the schema. */
  readonly type: string | undefined;
}

class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget = BUDGET;
  #restedAt = BUDGET;
  #isOver = false;

  *node(node: RuleNode, visit: Visit): Walk {
    const { value } = visit;
    if (this.#isOver || value === null || value === undefined) return;
    if (node.rules.length > 0) yield this.#rules(node, visit);
    for (const also of node.also) {
      if (!this.#isOver)
        yield this.node(also, { ...visit, standing: { here: undefined, above: visit.standing.above } });
    }
    if (Array.isArray(value)) yield this.#items(node, visit, value);
    else if (typeof value === 'object') yield this.#members(node, visit, value as { readonly [name: string]: unknown });
  }

  *#items({ items, props }: RuleNode, { path, before, standing }: Visit, list: readonly unknown[]): Walk {
    if (items === undefined) return;
    const find = itemsBefore(before, props);
    for (const [i, value] of list.entries()) {
      if (this.#isOver) return;
      const was = find(value);
      yield this.node(items, { path: `${path}[${i}]`, value, before: was, standing: belowItem(standing, value, was) });
    }
  }

  *#members({ additional, properties }: RuleNode, visit: Visit, map: { readonly [name: string]: unknown }): Walk {
    for (const name of Object.keys(map)) {
      if (this.#isOver) return;
      const property = properties.get(name);
      const below = property ?? additional;
      if (below === undefined) continue;
      const { path, before, standing } = visit;
      const step = property === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      yield this.node(below, {
        path: step,
        value: map[name],
        before: memberOf(before, name),
        standing: belowField(standing, name),
      });
    }
  }

  *#rules({ rules, props, isResource }: RuleNode, visit: Visit): Walk {
    if (this.#budget <= 0) return this.#stop(visit, props.type, NO_BUDGET);
    const variables = this.#variables(isResource ? withResourceFields(props) : props, visit);
    if (variables === undefined) return undefined;
    const old = variables.get('oldSelf');
    const optional = new Map(variables).set('oldSelf', new Optional(old));
    for (const compiled of rules) {
      const { rule, program, usesOldSelf, error } = compiled;
      const isOptional = rule.optionalOldSelf === true;
      if (error !== undefined) this.#add(visit, props.type, `rule compile error: ${error}`);
      if (program === undefined || (usesOldSelf && old === undefined && !isOptional)) continue;
      this.#rule(program, isOptional ? optional : variables, { compiled, visit, type: props.type });
      if (this.#isOver) return;
      if (this.#restedAt - this.#budget < PIECE_COST) continue;
      this.#restedAt = this.#budget;
      yield undefined;
    }
    return undefined;
  }

  /** Undefined: the data does not fit the schema, which is a mistake of its own. */
  #variables(schema: SchemaProps, visit: Visit): ReadonlyMap<string, Value> | undefined {
    try {
      return variablesOf(schema, visit);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.#add(visit, schema.type, error.message);
      return undefined;
    }
  }

  #rule(program: Program, variables: ReadonlyMap<string, Value>, telling: Telling): void {
    const { visit, type } = telling;
    const outcome = program.run(variables, CALL_MAX);
    if (outcome.cost > this.#budget) return this.#stop(visit, type, NO_BUDGET);
    this.#budget -= outcome.cost;
    if (outcome.error !== undefined) return this.#failed(outcome, telling);
    if (outcome.value !== true) this.#refused(variables, telling);
    return undefined;
  }

  #failed({ error }: Outcome, { visit, compiled, type }: Telling): void {
    const rule = shownRule(compiled);
    if (error instanceof CostError) {
      const why = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
      return this.#stop(visit, type, why);
    }
    assert(error instanceof EvaluationError, 'a rule fails with an error of its own');
    if (error.message.startsWith('no such overload')) {
      const why = `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
      return this.#add(visit, type, why);
    }
    return this.#add(visit, type, `${error.message} evaluating rule: ${rule}`);
  }

  /** A rule that does not hold: what is told of it, and where. */
  #refused(variables: ReadonlyMap<string, Value>, telling: Telling): void {
    const { visit, compiled } = telling;
    const { rule, usesOldSelf, path: below } = compiled;
    const own = this.#ownMessage(variables, telling);
    if (this.#isOver) return;
    const detail =
      own ??
      (rule.message === undefined || rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim());
    const value = typeof visit.value === 'object' ? OMITTED_VALUE : visit.value;
    const path = joined(visit.path, below);
    const type = REASONS.has(rule.reason ?? '') ? (rule.reason ?? 'FieldValueInvalid') : 'FieldValueInvalid';
    const isBare = type === 'FieldValueRequired' || type === 'FieldValueForbidden';
    const error = new FieldError(type, path, isBare ? '' : value, type === 'FieldValueDuplicate' ? '' : detail);
    if (!usesOldSelf && mayStay(visit.standing)) this.warnings.push(error.toString());
    else this.errors.push(error);
  }

  /** What the rule's own expression says; undefined: nothing that can be told. */
  #ownMessage(variables: ReadonlyMap<string, Value>, { visit, compiled, type }: Telling): string | undefined {
    const { message, rule } = compiled;
    if (message === undefined) return undefined;
    const outcome = message.run(variables, CALL_MAX);
    const path = { ...visit, path: joined(visit.path, compiled.path) };
    if (outcome.cost > this.#budget) {
      this.#stop(
        path,
        type,
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      );
      return undefined;
    }
    if (outcome.error instanceof CostError) {
      const source = JSON.stringify(rule.messageExpression);
      this.#stop(
        path,
        type,
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
      );
      return undefined;
    }
    this.#budget -= outcome.cost;
    const text = typeof outcome.value === 'string' ? outcome.value.trim() : '';
    return text === '' || text.length > MESSAGE_BYTES_MAX || text.includes('\n') ? undefined : text;
  }

  #add({ path }: Visit, type: string | undefined, detail: string): void {
    this.errors.push(new FieldError('FieldValueInvalid', joined(path, ''), type ?? '', detail));
  }

  #stop(visit: Visit, type: string | undefined, detail: string): void {
    this.#add(visit, type, detail);
    this.#isOver = true;
  }
}

const REASONS = new Set(['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate']);

/** A path and one below it; the top of an object has no name. */
function joined(path: string, below: string): string {
  if (below === '') return path === '' ? '<nil>' : path;
  return path === '' ? below : `${path}.${below}`;
}

/** Throws EvaluationError where the data does not fit the schema. */
function variablesOf(schema: SchemaProps, { value, before }: Visit): ReadonlyMap<string, Value> {
  const variables = new Map([['self', valueBySchema(value, schema)]]);
  if (before !== undefined && before !== null) variables.set('oldSelf', valueBySchema(before, schema));
  return variables;
}

function shownRule({ rule }: CompiledRule): string {
  return (rule.message ?? '') === '' ? rule.rule.trim() : (rule.message ?? '').trim();
}
