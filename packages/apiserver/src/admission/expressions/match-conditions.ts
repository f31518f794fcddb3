/** Conditions of webhooks and policies: all have to hold, and one that does not makes failures of others harmless. */
import type { MatchCondition } from '@binnacle/api/admissionregistration/v1';
import { BudgetError, Budget } from './activation.ts';
import type { Activation } from './activation.ts';
import { BOOL } from '@binnacle/cel';
import type { AdmissionMeasures } from '../../ports/measures.ts';
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

/** What becomes of a request where nobody can say, and who keeps score of it. */
interface Asking {
  /** It is not meant then. */
  readonly ignores: boolean;
  readonly measures: AdmissionMeasures;
  /** Whose conditions they are, of which sort, when. */
  readonly labels: readonly string[];
}

/** Asks the conditions in order. */
export async function matchConditions(
  conditions: readonly CompiledExpression[],
  activation: Activation,
  { ignores, measures, labels }: Asking,
): Promise<Matched> {
  if (conditions.length === 0) return { isMatch: true };
  const since = measures.now();
  const { isMatch, errors } = await ask(conditions, activation);
  measures.took('conditionSeconds', labels, measures.now() - since);
  if (errors.length > 0) measures.count('conditionErrors', labels);
  else if (!isMatch) measures.count('conditionExclusions', labels);
  if (isMatch || errors.length === 0 || ignores) return { isMatch };
  return { isMatch, error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}

/** One that does not hold makes failures of others harmless. */
async function ask(
  conditions: readonly CompiledExpression[],
  activation: Activation,
): Promise<{ readonly isMatch: boolean; readonly errors: readonly string[] }> {
  const budget = new Budget(BUDGET);
  const errors: string[] = [];
  try {
    for (const condition of conditions) {
      const { value, error } = await activation.evaluate(condition, budget);
      if (error !== undefined) errors.push(error);
      if (value === false) return { isMatch: false, errors: [] };
    }
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return { isMatch: false, errors: [error.message] };
  }
  return { isMatch: errors.length === 0, errors };
}
