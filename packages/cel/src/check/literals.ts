/** Literals that a function could never read are mistakes before anything runs. */
import { EvaluationError } from '../errors.ts';
import { patternOf } from '../functions/pattern.ts';
import { readDuration, readTimestamp } from '../functions/time-text.ts';
import type { Issue } from '../errors.ts';
import type { CallNode, Node } from '../syntax/tree.ts';

const READERS: ReadonlyMap<string, (text: string) => unknown> = new Map<string, (text: string) => unknown>([
  ['duration', readDuration],
  ['timestamp', readTimestamp],
  ['matches', patternOf],
]);

/** What is wrong with the literal that a call is given; undefined: nothing, or it is no literal. */
export function literalMistake(name: string, node: CallNode): Issue | undefined {
  const read = READERS.get(name);
  // Also where `matches` has its text first: so does upstream.
  const literal: Node | undefined = node.args[0];
  if (read === undefined || literal?.kind !== 'literal' || typeof literal.value !== 'string') return undefined;
  try {
    read(literal.value);
    return undefined;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { at: literal.at, message: `invalid ${name} argument` };
  }
}
