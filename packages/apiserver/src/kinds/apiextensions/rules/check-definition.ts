/** The content of a definition's schemas: what it fills in, and its rules: whether they can be read, and be afforded. */
import { walkInPieces } from '@binnacle/base';
import type { Walk } from '@binnacle/base';
import { allRuleMistakes, ruleMistakes, schemasToJudge } from '@binnacle/api';
import type { CustomResourceDefinition, JSONSchemaProps } from '@binnacle/api/apiextensions/v1';
import { declare, escapeName } from '@binnacle/cel';
import type { Declared } from '@binnacle/cel';
import { FieldError } from '@binnacle/machinery';
import type { SchemaProps } from '@binnacle/machinery/structural';
import type { Judgement } from '../../../ports/strategy.ts';
import { contentErrors } from './check-content.ts';
import { occurrencesMax, RuleCompiler, rulesOf } from './compile-rules.ts';
import type { CompiledRule } from './compile-rules.ts';
import { additionalSchemaOf, itemsOf } from './schema-parts.ts';

/** What one expression may cost at most by its estimate, and all of a schema together. */
const EXPRESSION_COST_MAX = 10_000_000;
const SCHEMA_COST_MAX = 100_000_000;
/** So many of the most expensive rules are named where the sum is too large. */
const NAMED_MAX = 4;
const HOW_TO =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/**
 * Everything that is wrong with the patterns, the defaults and the rules of a definition, whose structure is right.
 * A version whose schema did not change is taken as it was.
 */
export function* checkDefinition(definition: CustomResourceDefinition, before?: CustomResourceDefinition): Judgement {
  const compiler = new RuleCompiler();
  const errors: FieldError[] = [];
  for (const { schema, path } of schemasToJudge(definition, before)) {
    yield;
    const wrong = yield* contentErrors(schema as SchemaProps, path);
    if (wrong.length > 0) {
      const { walk, errors: ofRules } = allRuleMistakes(schema, path);
      yield* walkInPieces(walk);
      errors.push(...wrong, ...ofRules);
      continue;
    }
    const check = new SchemaCheck(compiler);
    const place = { path, isResource: true, declared: undefined, occurrences: 1, uncorrelatable: undefined };
    yield* walkInPieces(check.walk(schema as SchemaProps, place));
    errors.push(...check.total(path));
  }
  return errors;
}

/** Where in a schema the check stands. */
interface Place {
  readonly path: string;
  readonly isResource: boolean;
  /** What the place above declares for this one. */
  readonly declared: Declared | undefined;
  /** How often data of this place can be in one object; undefined: nothing bounds it. */
  readonly occurrences: number | undefined;
  /** The place above whose items cannot be told apart. */
  readonly uncorrelatable: string | undefined;
}

class SchemaCheck {
  readonly #compiler: RuleCompiler;
  readonly #errors: FieldError[] = [];
  readonly #expensive: { path: string; cost: number }[] = [];
  #cost = 0;

  constructor(compiler: RuleCompiler) {
    this.#compiler = compiler;
  }

  /** What was found, and whether all rules together cost too much. */
  total(path: string): readonly FieldError[] {
    if (this.#cost <= SCHEMA_COST_MAX) return this.#errors;
    const costly = this.#expensive.toSorted((a, b) => b.cost - a.cost).slice(0, NAMED_MAX);
    for (const one of costly) {
      this.#forbid(
        one.path,
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      );
    }
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    this.#forbid(path, tooExpensive(what, this.#cost, SCHEMA_COST_MAX));
    return this.#errors;
  }

  *walk(schema: SchemaProps, place: Place): Walk {
    const { path, isResource } = place;
    const hasRules = rulesOf(schema).length > 0;
    // The types of what is below come from here where rules can look at them.
    const declared = place.declared ?? (hasRules ? declare(schema, 'selfType', isResource) : undefined);
    const occurrences = place.occurrences === undefined ? undefined : multiplied(place.occurrences, growth(schema));
    const below = { isResource: false, occurrences, uncorrelatable: place.uncorrelatable };
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      const escaped = escapeName(name);
      const known = escaped === undefined ? undefined : declared?.fields?.get(escaped);
      yield this.walk(inner, { ...below, ...embedded(inner), declared: known, path: `${path}.properties[${name}]` });
    }
    const additional = additionalSchemaOf(schema);
    if (additional !== undefined) {
      const inner = { ...below, ...embedded(additional), declared: declared?.element };
      yield this.walk(additional, { ...inner, path: `${path}.additionalProperties` });
    }
    const items = itemsOf(schema);
    if (items !== undefined) {
      const isKeyed = schema['x-kubernetes-list-type'] === 'map';
      const inner = { ...below, ...embedded(items), declared: declared?.element, path: `${path}.items` };
      yield this.walk(items, {
        ...inner,
        uncorrelatable: isKeyed ? place.uncorrelatable : (place.uncorrelatable ?? path),
      });
    }
    if (hasRules) yield this.#rules(schema, declared, place);
  }

  *#rules(schema: SchemaProps, declared: Declared | undefined, place: Place): Walk {
    const at = (i: number, part: string): string => `${place.path}.x-kubernetes-validations[${i}].${part}`;
    const shape = ruleMistakes(schema as JSONSchemaProps, place.path);
    this.#errors.push(...shape);
    if (shape.length > 0) return;
    if (declared === undefined) {
      const detail = 'unable to convert structural schema to CEL declarations';
      const why = `internal error: failed to construct type information for x-kubernetes-validations rules: ${detail}`;
      this.#errors.push(new FieldError('InternalError', `${place.path}.x-kubernetes-validations`, '', why));
      return;
    }
    const times = place.occurrences ?? occurrencesMax(declared);
    for (const [i, compile] of this.#compiler.toCompile(schema, declared).entries()) {
      this.#rule(compile(), { place, times, at: (part) => at(i, part) });
      yield undefined;
    }
  }

  #rule(
    compiled: CompiledRule,
    { place, times, at }: { place: Place; times: number; at: (part: string) => string },
  ): void {
    const { rule, error, messageError, message, usesOldSelf } = compiled;
    this.#afford(at('rule'), 'estimated rule cost', compiled.cost * times);
    if (error !== undefined) this.#invalid(at('rule'), shownRule(rule), error);
    if (messageError !== undefined) this.#invalid(at('messageExpression'), shownRule(rule), messageError);
    else if (message !== undefined) {
      this.#afford(at('messageExpression'), 'estimated messageExpression cost', compiled.messageCost);
    }
    if (usesOldSelf && place.uncorrelatable !== undefined) {
      const where = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
      this.#invalid(at('rule'), rule.rule, where);
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      this.#invalid(at('optionalOldSelf'), rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule');
    }
  }

  #afford(path: string, what: string, cost: number): void {
    if (cost > EXPRESSION_COST_MAX) this.#forbid(path, tooExpensive(what, cost, EXPRESSION_COST_MAX));
    this.#cost += cost;
    if (cost >= SCHEMA_COST_MAX / 100) this.#expensive.push({ path, cost });
  }

  #forbid(path: string, detail: string): void {
    this.#errors.push(new FieldError('FieldValueForbidden', path, '', detail));
  }

  #invalid(path: string, value: unknown, detail: string): void {
    this.#errors.push(new FieldError('FieldValueInvalid', path, value, detail));
  }
}

function embedded(schema: SchemaProps): { isResource: boolean } {
  return { isResource: schema['x-kubernetes-embedded-resource'] === true };
}

/** By how much more often than a place the data below it can be there; undefined: nothing bounds it. */
function growth(schema: SchemaProps): number | undefined {
  if (schema.type === 'array') return schema.maxItems === undefined ? undefined : Math.max(0, Number(schema.maxItems));
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1;
  return schema.maxProperties === undefined ? undefined : Math.max(0, Number(schema.maxProperties));
}

function multiplied(times: number, by: number | undefined): number | undefined {
  return by === undefined ? undefined : Math.min(2 ** 64, times * by);
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} ${HOW_TO}`;
}

type Rule = ReturnType<typeof rulesOf>[number];

/** A rule as upstream shows it in messages: its own kind has no other names for the fields. */
function shownRule({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: Rule): unknown {
  return {
    Rule: rule,
    Message: message ?? '',
    MessageExpression: messageExpression ?? '',
    Reason: reason ?? null,
    FieldPath: fieldPath ?? '',
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}
