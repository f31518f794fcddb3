/** A change that an expression says: a configuration to lay over the object, or operations of a JSON patch. */
import { EvaluationError, StructValue, toJson } from '@binnacle/cel';
import type { Value } from '@binnacle/cel';
import { applyJsonPatch, LayOverError, status, StatusError } from '@binnacle/machinery';
import { Budget, BudgetError } from './activation.ts';
import type { Activation, SeenRequest } from './activation.ts';
import type { CompiledExpression } from '@binnacle/cel';

/** What one mutation may cost. */
const BUDGET = 10_000_000;

export interface Mutation {
  readonly expression: CompiledExpression;
  readonly activation: Activation;
  readonly seen: SeenRequest;
  /** A JSON patch; else a configuration. */
  readonly isPatch: boolean;
}

/** The object after a change, or why there is none. */
export async function changed(mutation: Mutation): Promise<{ readonly object: unknown } | { readonly error: string }> {
  const { expression, activation, seen, isPatch } = mutation;
  if (expression.error !== undefined) return { error: expression.error };
  try {
    const { value, error } = await activation.evaluate(expression, new Budget(BUDGET));
    if (error !== undefined || value === undefined) return { error: error ?? 'no value' };
    return { object: isPatch ? patched(seen, value) : laidOver(seen, value) };
  } catch (failure) {
    if (failure instanceof BudgetError || failure instanceof EvaluationError) return { error: failure.message };
    if (failure instanceof LayOverError) return { error: `error applying patch: ${failure.message}` };
    if (failure instanceof StatusError) return { error: `JSON Patch: ${status.whyRefused(failure)}` };
    throw failure;
  }
}

function laidOver({ attributes, info, object }: SeenRequest, value: Value): unknown {
  if (object === undefined || !(value instanceof StructValue)) throw new EvaluationError('unsupported return type');
  return attributes.layOver(object, toJson(value) as object, info);
}

/** A test that fails leaves the object as it is. */
function patched({ object }: SeenRequest, value: Value): unknown {
  if (!Array.isArray(value)) throw new EvaluationError('JSONPatchType.expression should evaluate to array');
  const operations = (value as readonly Value[]).map(operationOf);
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (error instanceof StatusError && status.whyRefused(error).endsWith(': test failed')) return object;
    throw error;
  }
}

function operationOf(operation: Value): unknown {
  if (!(operation instanceof StructValue))
    throw new EvaluationError('JSONPatchType.expression should evaluate to array of JSONPatch');
  const entries = [...operation.fields].filter(([name, field]) => name !== 'from' || field !== '');
  return Object.fromEntries(entries.map(([name, field]) => [name, toJson(field)]));
}
