import type { Checked } from '../check/checker.ts';
import type { Node } from '../syntax/tree.ts';
import type { Value } from '../values.ts';
import type { Frame } from './frame.ts';

/** A part of an expression that runs. Throws EvaluationError, CostError. */
export type Run = (frame: Frame) => Value;

/** What names mean while closures are made. */
export interface Plan {
  readonly checked: Checked;
  plan(node: Node): Run;
  /** Makes the closures of a part in which each name has a slot of its own. */
  within<T>(names: readonly string[], make: (slots: readonly number[]) => T): T;
}
