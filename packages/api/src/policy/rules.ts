import type { PodDisruptionBudget } from '../generated/policy-v1.ts';
import type { KindRules } from '../kind.ts';
import { validateDisruptionBudget, validateDisruptionBudgetStatusUpdate } from './disruption-budget-validation.ts';

export const DISRUPTION_BUDGET_RULES: KindRules<PodDisruptionBudget> = {
  validate: validateDisruptionBudget,
  validateUpdate: validateDisruptionBudget,
  validateStatusUpdate: validateDisruptionBudgetStatusUpdate,
};
