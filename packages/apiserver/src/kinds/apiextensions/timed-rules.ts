import type { Pieces } from '@binnacle/base';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import type { CompileRules } from './custom-rules.ts';
import type { ObjectRules } from './rules/evaluate-rules.ts';

/** The same rules of custom kinds, counted and timed among all expressions: their compilation, and each object's run. */
export function timedRules(compile: CompileRules, measures: AdmissionMeasures): CompileRules {
  return function* (schema, isResource) {
    const [rules, took] = yield* timed(compile(schema, isResource), measures);
    if (rules === undefined) return undefined;
    measures.took('compilationSeconds', [], took);
    return timedRuns(rules, measures);
  };
}

function timedRuns(rules: ObjectRules, measures: AdmissionMeasures): ObjectRules {
  return function* (object, before) {
    const [findings, took] = yield* timed(rules(object, before), measures);
    measures.took('evaluationSeconds', [], took);
    return findings;
  };
}

/** The same work, and how long it took without what others do between two pieces. */
function* timed<T>(pieces: Pieces<T>, measures: AdmissionMeasures): Pieces<readonly [made: T, seconds: number]> {
  let took = 0;
  for (;;) {
    const since = measures.now();
    const piece = pieces.next();
    took += measures.now() - since;
    if (piece.done === true) return [piece.value, took];
    yield;
  }
}
