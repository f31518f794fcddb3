/** Sources to programs: read, checked, planned; run with variables under a limit of cost. */
import { check } from './check/checker.ts';
import type { Checked } from './check/checker.ts';
import type { Environment } from './check/environment.ts';
import { estimateCost } from './estimate.ts';
import type { SizeOf } from './estimate.ts';
import type { Range } from './cost/range.ts';
import { CostError, EvaluationError } from './errors.ts';
import { Frame } from './evaluate/frame.ts';
import { planExpression } from './evaluate/plan.ts';
import { parse } from './syntax/parse.ts';
import { childrenOf } from './syntax/tree.ts';
import type { Node } from './syntax/tree.ts';
import { DYN } from './types.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

/** What a run came to: a value or what failed (EvaluationError, CostError), and what it cost until then. */
export interface Outcome {
  readonly value?: Value;
  readonly error?: unknown;
  readonly cost: number;
}

/** A compiled expression. */
export interface Program {
  readonly source: string;
  /** What it answers with. */
  readonly type: Type;
  /** Outer variables that it looks at. */
  readonly variables: ReadonlySet<string>;
  /** The most and least that it can cost, where sizes are as `sizeOf` says. */
  estimate(sizeOf: SizeOf): Range;
  /** Runs it; undefined variables are missing. `limit`: in units of cost. Errors that are no fault of the expression are thrown. */
  run(variables: ReadonlyMap<string, Value>, limit: number): Outcome;
}

/** Compiles a source. Throws CompileError, with cel-go's messages. */
export function compile(source: string, environment: Environment): Program {
  const checked = check(source, parse(source, environment.macros), environment);
  const used = usedVariables(checked, environment);
  const names = [...used];
  const { run, slots } = planExpression(checked, names);
  return {
    source,
    type: checked.types.get(checked.root) ?? DYN,
    variables: used,
    estimate: (sizeOf) => estimateCost(checked, sizeOf),
    run(variables, limit) {
      const frame = new Frame(slotsOf(names, variables, slots), limit);
      try {
        const value = run(frame);
        return { value, cost: frame.cost };
      } catch (error) {
        if (!isOutcome(error)) throw error;
        return { error, cost: frame.cost };
      }
    },
  };
}

function slotsOf(
  names: readonly string[],
  variables: ReadonlyMap<string, Value>,
  count: number,
): (Value | undefined)[] {
  const slots = Array.from<Value | undefined>({ length: count });
  for (const [i, name] of names.entries()) slots[i] = variables.get(name);
  return slots;
}

function isOutcome(error: unknown): boolean {
  return error instanceof EvaluationError || error instanceof CostError;
}

function usedVariables(checked: Checked, environment: Environment): ReadonlySet<string> {
  const used = new Set<string>();
  const rest: Node[] = [checked.root];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    const name = checked.references.get(node);
    if (name !== undefined && environment.variables.has(name)) used.add(name);
    rest.push(...childrenOf(node));
  }
  return used;
}
