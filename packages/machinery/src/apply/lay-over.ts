/** Configurations that nobody owns: what a policy wants of an object, laid over it without a word about fields' owners. */
import { CatalogueError } from '@binnacle/base';
import { isObject } from '../schema/member.ts';
import { mergeValues } from './merge.ts';
import type { Shape } from './shape.ts';

/** A configuration that cannot be laid over an object; the message is upstream's. */
export class LayOverError extends CatalogueError {
  constructor(message: string) {
    super('lay-over', message);
  }
}

/**
 * The live value with a configuration laid over it. Throws LayOverError where the configuration has a field that
 * nobody declared, or would replace a list or a map as a whole: what it does not say would be lost.
 */
export function layOver(shape: Shape, live: unknown, configuration: unknown): unknown {
  const atomic: string[] = [];
  checkFields(shape, configuration, { path: '', atomic });
  if (atomic.length > 0) {
    throw new LayOverError(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  }
  return mergeValues(shape, live, configuration);
}

interface Place {
  readonly path: string;
  /** Paths of what would be replaced as a whole. */
  readonly atomic: string[];
}

function checkFields(shape: Shape, value: unknown, { path, atomic }: Place): void {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return;
  if (shape.kind === 'leaf' || (shape.kind === 'open' && isList)) {
    atomic.push(path);
    return;
  }
  if (isList) {
    if (shape.kind !== 'keyed') return;
    for (const [at, item] of value.entries()) checkFields(shape.item, item, { path: `${path}[${at}]`, atomic });
    return;
  }
  for (const [name, member] of Object.entries(value as object)) {
    const inner = shape.kind === 'record' ? shape.member(name) : shape;
    const here = `${path}.${name}`;
    if (inner === undefined) {
      throw new LayOverError(`failed to convert patch object to typed object: ${here}: field not declared in schema`);
    }
    checkFields(inner, member, { path: here, atomic });
  }
}
