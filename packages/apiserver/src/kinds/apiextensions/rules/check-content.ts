/** Patterns that are none, and defaults that would not be taken from anybody else. */
import { walkInPieces } from '@binnacle/base';
import type { Pieces, Walk } from '@binnacle/base';
import { FieldError } from '@binnacle/machinery';
import { defaultFindings, patternProblem, countSteps } from '@binnacle/machinery/structural';
import type { SchemaProps } from '@binnacle/machinery/structural';
import { piecesOfRules } from './evaluate-rules.ts';
import { hasRules } from './has-rules.ts';
import { additionalSchemaOf, itemsOf } from './schema-parts.ts';

/** All patterns of a schema together, in steps: objects are held against them one after the other. */
const PATTERN_STEPS_MAX = 1_000_000;

/** Defaults are looked at where every pattern can be read. Others have their turn after each of both. */
export function* contentErrors(schema: SchemaProps, path: string): Pieces<FieldError[]> {
  const errors: FieldError[] = [];
  if ((yield* countSteps(schema)) > PATTERN_STEPS_MAX) {
    const detail = `must have regular expressions of no more than ${PATTERN_STEPS_MAX} steps together`;
    return [new FieldError('FieldValueForbidden', path, '', detail)];
  }
  yield* walkInPieces(collectPatterns(schema, path, errors));
  if (errors.length === 0) yield* walkInPieces(collectDefaults(schema, path, errors));
  return errors;
}

function* collectPatterns(schema: SchemaProps, path: string, errors: FieldError[]): Walk {
  if (schema.pattern) {
    const problem = patternProblem(schema.pattern);
    if (problem !== undefined) {
      const detail = `must be a valid regular expression, but isn't: ${problem}`;
      errors.push(new FieldError('FieldValueInvalid', `${path}.pattern`, schema.pattern, detail));
    }
    yield undefined;
  }
  for (const [inner, at] of [...structureBelow(schema, path), ...partsBelow(schema, path)]) {
    yield collectPatterns(inner, at, errors);
  }
}

function* collectDefaults(schema: SchemaProps, path: string, errors: FieldError[]): Walk {
  if (schema.default !== undefined && schema.default !== null) {
    yield collectDefault(schema, path, errors);
    yield undefined;
  }
  for (const [inner, at] of structureBelow(schema, path)) yield collectDefaults(inner, at, errors);
}

function* collectDefault(schema: SchemaProps, path: string, errors: FieldError[]): Walk {
  const looking = defaultErrors(schema, schema.default);
  let piece = looking.next();
  for (; piece.done !== true; piece = looking.next()) yield undefined;
  errors.push(...piece.value.map((error) => placed(error, `${path}.default`)));
}

/** Rules hold for it as for a new value, and as for one that stays. */
function* defaultErrors(schema: SchemaProps, value: unknown): Pieces<readonly FieldError[]> {
  const errors = yield* defaultFindings(value, schema);
  if (errors.length > 0 || !hasRules(schema)) return errors;
  const rules = yield* piecesOfRules(schema, schema['x-kubernetes-embedded-resource'] === true);
  if (rules === undefined) return [];
  const unchanged = (yield* rules(value, value)).errors;
  return unchanged.length > 0 ? unchanged : (yield* rules(value)).errors;
}

/** An error below a value, by where the value stands. */
function placed({ type, field, value, detail }: FieldError, at: string): FieldError {
  return new FieldError(type, field === '' || field === '<nil>' ? at : `${at}.${field}`, value, detail);
}

type Below = readonly (readonly [schema: SchemaProps, path: string])[];

/** What the structure has below a place; nothing is filled in below `additionalProperties`, but patterns stand there. */
function structureBelow(schema: SchemaProps, path: string): Below {
  const properties = Object.entries(schema.properties ?? {});
  const [items, additional] = [itemsOf(schema), additionalSchemaOf(schema)];
  return [
    ...(items === undefined ? [] : [[items, `${path}.items`] as const]),
    ...properties.map(([name, inner]) => [inner, `${path}.properties[${name}]`] as const),
    ...(additional === undefined ? [] : [[additional, `${path}.additionalProperties`] as const]),
  ];
}

function partsBelow(schema: SchemaProps, path: string): Below {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((junctor) =>
    (schema[junctor] ?? []).map((part, at) => [part, `${path}.${junctor}[${at}]`] as const),
  );
  return schema.not === undefined ? lists : [...lists, [schema.not, `${path}.not`]];
}
