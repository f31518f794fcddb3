/** How the rules of a schema are written down, whatever their expressions say. */
import type { Walk } from '@binnacle/base';
import type { FieldError } from '@binnacle/machinery';
import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { readRulePath } from './rule-path.ts';
import { placesBelow } from './schema-parts.ts';

const RULES = 'x-kubernetes-validations';
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** What is wrong with how the rules of one place are written; in what stands below it nobody looks. */
export function ruleMistakes(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const report = new Report();
  validateOwnRules({ schema, path: fieldPath(path), isExpressible: true }, report);
  return report.errors;
}

/** A schema with rules, and where it stands. */
export interface RuledPlace {
  readonly schema: JSONSchemaProps;
  readonly path: FieldPath;
  /** Whether paths of fields can be held against it. */
  readonly isExpressible: boolean;
}

/** The same for all places of a schema, parts of `allOf` and its like too, where a schema has no rules that are taken. */
export function* validateRules(place: RuledPlace, report: Report): Walk {
  validateOwnRules(place, report);
  for (const [schema, path] of placesBelow(place.schema, place.path)) {
    yield validateRules({ ...place, schema, path }, report);
  }
}

/** The same of a schema that is right otherwise; what is wrong is there when the walk is done. */
export function allRuleMistakes(schema: JSONSchemaProps, path: string): { walk: Walk; errors: readonly FieldError[] } {
  const report = new Report();
  const walk = validateRules({ schema, path: fieldPath(path), isExpressible: true }, report);
  return { walk, errors: report.errors };
}

function validateOwnRules({ schema, path, isExpressible }: RuledPlace, report: Report): void {
  for (const [i, rule] of (schema[RULES] ?? []).entries()) {
    const at = path.child(RULES).index(i);
    validateTexts(rule, at, report);
    validateReason(rule, at, report);
    validatePath(rule, { schema, path: at.child('fieldPath'), isExpressible }, report);
  }
}

type Rule = NonNullable<JSONSchemaProps[typeof RULES]>[number];

function validateReason({ messageExpression = '', reason }: Rule, path: FieldPath, report: Report): void {
  if (messageExpression !== '' && messageExpression.trim() === '') {
    report.required(path.child('messageExpression'), 'messageExpression must be non-empty if specified');
  }
  if (reason !== undefined && !REASONS.includes(reason)) report.unsupported(path.child('reason'), reason, REASONS);
}

function validatePath(
  { fieldPath: named = '' }: Rule,
  { schema, path, isExpressible }: RuledPlace,
  report: Report,
): void {
  if (named === '') return;
  if (named.trim() === '') report.invalid(path, named, 'must be non-empty if specified');
  if (hasLines(named)) report.invalid(path, named, 'must not contain line breaks');
  if (isExpressible && readRulePath(named, schema) === undefined) report.invalid(path, named, 'must be a valid path');
}

function validateTexts({ rule, message = '' }: Rule, path: FieldPath, report: Report): void {
  const at = path.child('message');
  if (rule.trim() === '') report.required(path.child('rule'), 'rule is not specified');
  else if (message !== '' && message.trim() === '') report.invalid(at, message, 'must be non-empty if specified');
  else if (hasLines(message.trim())) report.invalid(at, message, 'must not contain line breaks');
  else if (hasLines(rule.trim()) && message.trim() === '') {
    report.required(at, 'message must be specified if rule contains line breaks');
  }
}

function hasLines(text: string): boolean {
  return /[\n\r]/.test(text);
}
