import type { AdmissionMeasures } from '../../ports/measures.ts';
import type { CompileRules } from './custom-rules.ts';
import type { ObjectRules } from './rules/evaluate-rules.ts';

/** The same rules of custom kinds, counted and timed among all expressions: their compilation, and each object's run. */
export function timedRules(compile: CompileRules, measures: AdmissionMeasures): CompileRules {
  return function* (schema, isResource) {
    let took = 0;
    const pieces = compile(schema, isResource);
    for (;;) {
      // Without what others do between two pieces.
      const since = measures.now();
      const piece = pieces.next();
      took += measures.now() - since;
      if (piece.done !== true) yield;
      else {
        if (piece.value !== undefined) measures.took('compilationSeconds', [], took);
        return piece.value === undefined ? undefined : timed(piece.value, measures);
      }
    }
  };
}

function timed(rules: ObjectRules, measures: AdmissionMeasures): ObjectRules {
  return (object, before) => {
    const began = measures.now();
    const findings = rules(object, before);
    measures.took('evaluationSeconds', [], measures.now() - began);
    return findings;
  };
}
