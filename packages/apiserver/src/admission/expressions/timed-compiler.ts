import { ExpressionCompiler } from '@binnacle/cel';
import type { CompiledExpression, ExpressionScope, Type } from '@binnacle/cel';
import type { AdmissionMeasures } from '../../ports/measures.ts';

/** A compiler whose time is told. */
export class TimedCompiler extends ExpressionCompiler {
  readonly #measures: AdmissionMeasures;

  constructor(measures: AdmissionMeasures) {
    super();
    this.#measures = measures;
  }

  override compile(source: string, types: readonly Type[], scope: ExpressionScope): CompiledExpression {
    const since = this.#measures.now();
    const compiled = super.compile(source, types, scope);
    this.#measures.took('compilationSeconds', [], this.#measures.now() - since);
    return compiled;
  }
}
