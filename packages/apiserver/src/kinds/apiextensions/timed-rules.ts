import type { AdmissionMeasures } from '../../ports/measures.ts';
import type { CompileRules } from './custom-rules.ts';

/** The same rules of custom kinds, counted and timed among all expressions: their compilation, and each object's run. */
export function timedRules(compile: CompileRules, measures: AdmissionMeasures): CompileRules {
  return (schema, isResource) => {
    const since = measures.now();
    const rules = compile(schema, isResource);
    if (rules === undefined) return undefined;
    measures.took('compilationSeconds', [], measures.now() - since);
    return (object, before) => {
      const began = measures.now();
      const findings = rules(object, before);
      measures.took('evaluationSeconds', [], measures.now() - began);
      return findings;
    };
  };
}
