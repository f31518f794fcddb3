/**
 * Validation of custom objects by their schema, with the words that upstream's validator has. A schema is compiled to
 * closures once. Patterns are RE2's, which take time in proportion to the text whatever they are.
 *
 * A door of its own (`@binnacle/machinery/structural`), as the pattern engine is large and only custom kinds need it.
 */
import type { FieldError } from '../../status-error.ts';
import { invalid } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import { checkOf } from './compile-check.ts';
import { embeddedErrors } from './embedded.ts';
import { Findings } from './findings.ts';
import { listErrors } from './list-errors.ts';
import { compileNode, topNode } from './node.ts';
import type { SchemaProps } from './props.ts';
import { Pruner } from './prune.ts';

export { applyDefaults } from './defaults.ts';
export { compileNode, isMap, memberNode, topNode } from './node.ts';
export type { StructuralNode } from './node.ts';
export type { SchemaProps } from './props.ts';
export { hasFormat } from './formats.ts';
export { patternSteps, readPatterns } from './read-patterns.ts';
export { patternProblem } from './text-check.ts';

/**
 * Everything that is wrong with an object, by its schema and by the types of its lists; at most 1000 mistakes. Rules
 * in CEL are looked at elsewhere. The object was pruned and defaulted before.
 */
export function validateStructural(object: unknown, props: SchemaProps, path: FieldPath = ''): FieldError[] {
  const found = new Findings();
  checkOf(props)(object, path, found);
  const node = topNode(props);
  for (const error of embeddedErrors(object, node, path)) found.add(error);
  for (const error of listErrors(object, node, path)) found.add(error);
  return found.errors;
}

/**
 * Likewise of an object that changed: places that are as they were are let be, lists that were wrong already may stay
 * wrong. In a change of the status nobody looks at the objects inside of it.
 */
export function validateStructuralChange(
  object: unknown,
  before: unknown,
  { props, isOfStatus }: { readonly props: SchemaProps; readonly isOfStatus: boolean },
): FieldError[] {
  const found = new Findings(before);
  checkOf(props)(object, '', found);
  const node = topNode(props);
  if (!isOfStatus) for (const error of embeddedErrors(object, node, '')) found.add(error);
  const lists = listErrors(object, node);
  if (lists.length > 0 && listErrors(before, node).length === 0) for (const error of lists) found.add(error);
  return found.errors;
}

/**
 * What is wrong with what a schema fills in where its place is empty: it has to be known whole, and to be right. Paths
 * begin at the place. As upstream has it, the first sort of mistake hides the others, and sets may repeat themselves.
 */
export function validateDefault(value: unknown, props: SchemaProps): FieldError[] {
  const node = compileNode(props);
  const walk = { members: 0, depth: 0, unknown: false, inexact: false };
  new Pruner(walk, (_, given) => given).prune(value, node);
  const unknown = walk.unknown ? [invalid('', value, 'must not have unknown fields')] : [];
  const inner = embeddedErrors(value, node, '');
  if (inner.length > 0) return [...unknown, ...inner];
  const found = new Findings();
  checkOf(props)(value, '', found);
  return [...unknown, ...found.errors];
}
