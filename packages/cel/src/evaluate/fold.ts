/** Going through a list or a map, one value carried along. */
import { EvaluationError } from '../errors.ts';
import { ACCUMULATOR } from '../syntax/tree.ts';
import type { FoldNode } from '../syntax/tree.ts';
import { MapValue } from '../values.ts';
import type { Value } from '../values.ts';
import { toTruth } from './access.ts';
import { Failure } from './frame.ts';
import type { Frame } from './frame.ts';
import type { Plan, Run } from './closure.ts';

interface Loop {
  readonly condition: Run;
  readonly step: Run;
  /** A failed step may be made harmless by a later one. */
  readonly isForgiving: boolean;
  readonly accumulator: number;
  readonly first: number;
  readonly second: number | undefined;
}

export function planFold(node: FoldNode, plan: Plan): Run {
  const range = plan.plan(node.range);
  const start = plan.plan(node.start);
  return plan.within([ACCUMULATOR], ([accumulator = 0]) => {
    const names = node.second === undefined ? [node.first] : [node.first, node.second];
    const loop = plan.within(names, ([first = 0, second]): Loop => {
      const isForgiving = node.condition.kind === 'call';
      return {
        condition: plan.plan(node.condition),
        step: plan.plan(node.step),
        isForgiving,
        accumulator,
        first,
        second,
      };
    });
    const result = plan.plan(node.result);
    return (frame) => {
      const over = range(frame);
      frame.slots[accumulator] = start(frame);
      if (Array.isArray(over)) overList(over as readonly Value[], loop, frame);
      else if (over instanceof MapValue) overMap(over, loop, frame);
      else throw new EvaluationError('no such overload');
      return result(frame);
    };
  });
}

function overList(list: readonly Value[], loop: Loop, frame: Frame): void {
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Value;
    if (loop.second === undefined) frame.slots[loop.first] = item;
    else {
      frame.slots[loop.first] = BigInt(i);
      frame.slots[loop.second] = item;
    }
    if (!turn(loop, frame)) return;
  }
}

function overMap(map: MapValue, loop: Loop, frame: Frame): void {
  for (const key of map.keys()) {
    frame.slots[loop.first] = key;
    if (loop.second !== undefined) frame.slots[loop.second] = map.get(key) ?? null;
    if (!turn(loop, frame)) return;
  }
}

/** One turn; false: it was not taken, and none is after it. */
function turn({ condition, step, isForgiving, accumulator }: Loop, frame: Frame): boolean {
  if (!toTruth(condition(frame))) return false;
  frame.work(1);
  if (!isForgiving) {
    frame.slots[accumulator] = step(frame);
    return true;
  }
  try {
    frame.slots[accumulator] = step(frame);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    frame.slots[accumulator] = new Failure(error);
  }
  return true;
}
