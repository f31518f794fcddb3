/**
 * Validation of custom objects by their schema, with the words that upstream's validator has. A schema is compiled to
 * closures once. Patterns are RE2's, which take time in proportion to the text whatever they are.
 *
 * A door of its own (`@binnacle/machinery/structural`), as the pattern engine is large and only custom kinds need it.
 */
import { walkInPieces } from '@binnacle/base';
import type { Pieces } from '@binnacle/base';
import { OMITTED_VALUE } from '../../status-error.ts';
import type { FieldError } from '../../status-error.ts';
import { invalid } from '../../validation/field.ts';
import { checkOf } from './compile-check.ts';
import { embeddedErrors } from './embedded.ts';
import { Findings, UNKNOWN } from './findings.ts';
import { listErrors } from './list-errors.ts';
import { compileNode, topNode } from './node.ts';
import type { SchemaProps } from './props.ts';
import { Pruner } from './prune.ts';

export { applyDefaults } from './defaults.ts';
export { compileNode, isMap, memberNode, topNode } from './node.ts';
export type { StructuralNode } from './node.ts';
export type { SchemaProps } from './props.ts';
export { hasFormat } from './formats.ts';
export { countSteps, readPatterns } from './read-patterns.ts';
export { patternProblem } from './text-check.ts';

/** Of what an object is a change. */
export interface StructuralChange {
  readonly before: unknown;
  /** Nobody looks at the objects inside of it. */
  readonly isOfStatus: boolean;
}

const TOO_MUCH = 'checking the object against its schema took too much work';

/**
 * Everything that is wrong with an object, by its schema and by the types of its lists, with rests in between; at most 1000
 * mistakes. Rules in CEL are looked at elsewhere. The object was pruned and defaulted before. Of a change, places that are
 * as they were are let be, and lists that were wrong already may stay wrong.
 */
export function* structuralFindings(
  object: unknown,
  props: SchemaProps,
  change?: StructuralChange,
): Pieces<FieldError[]> {
  const found = new Findings(change === undefined ? UNKNOWN : change.before);
  yield* checked(object, props, found);
  if (found.work.isOver) return found.errors;
  yield;
  const node = topNode(props);
  if (change?.isOfStatus !== true) for (const error of embeddedErrors(object, node, '')) found.add(error);
  yield;
  const lists = listErrors(object, node);
  const isNew = lists.length > 0 && (change === undefined || listErrors(change.before, node).length === 0);
  if (isNew) for (const error of lists) found.add(error);
  return found.errors;
}

/** Holds a value against a schema; what took too much work is told of alone. */
function* checked(value: unknown, props: SchemaProps, found: Findings): Pieces<void> {
  const walk = checkOf(props)(value, '', found);
  if (walk !== undefined) yield* walkInPieces(walk);
  if (!found.work.isOver) return;
  found.errors.length = 0;
  found.add(invalid('<nil>', OMITTED_VALUE, TOO_MUCH));
}

/**
 * What is wrong with what a schema fills in where its place is empty: it has to be known whole, and to be right. Paths
 * begin at the place. As upstream has it, the first sort of mistake hides the others, and sets may repeat themselves.
 */
export function* defaultFindings(given: unknown, props: SchemaProps): Pieces<FieldError[]> {
  const node = compileNode(props);
  const walk = { members: 0, depth: 0, unknown: false, inexact: false };
  new Pruner(walk, (_, value) => value).prune(given, node);
  const unknown = walk.unknown ? [invalid('', given, 'must not have unknown fields')] : [];
  const inner = embeddedErrors(given, node, '');
  if (inner.length > 0) return [...unknown, ...inner];
  const found = new Findings();
  yield* checked(given, props, found);
  return [...unknown, ...found.errors];
}
