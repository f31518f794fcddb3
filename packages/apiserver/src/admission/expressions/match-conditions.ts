/** Conditions of webhooks and policies: all have to hold, and one that does not makes failures of others harmless. */
import type { MatchCondition } from '@binnacle/api/admissionregistration/v1';
import { BudgetError, Budget } from './activation.ts';
import type { Activation } from './activation.ts';
import { BOOL } from '@binnacle/cel';
import type { CompiledExpression, ExpressionCompiler, ExpressionScope } from '@binnacle/cel';

/** What conditions may cost together, in upstream's units. */
const BUDGET = 2_500_000;

/** Whether a request is meant, or why nobody can say. */
export interface Matched {
  readonly isMatch: boolean;
  readonly error?: string;
}

export function compileConditions(
  conditions: readonly MatchCondition[],
  compiler: ExpressionCompiler,
  scope: ExpressionScope,
): readonly CompiledExpression[] {
  return conditions.map(({ expression }) => compiler.compile(expression, [BOOL], scope));
}

/** Asks the conditions in order. Where nobody can say, `ignores` means that the request is not meant. */
export async function matchConditions(
  conditions: readonly CompiledExpression[],
  activation: Activation,
  ignores: boolean,
): Promise<Matched> {
  const budget = new Budget(BUDGET);
  const errors: string[] = [];
  try {
    for (const condition of conditions) {
      const { value, error } = await activation.evaluate(condition, budget);
      if (error !== undefined) errors.push(error);
      if (value === false) return { isMatch: false };
    }
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return ignores ? { isMatch: false } : { isMatch: false, error: error.message };
  }
  if (errors.length === 0) return { isMatch: true };
  if (ignores) return { isMatch: false };
  return { isMatch: false, error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}
