/** Whether the conditions of a webhook let a request through to it. What evaluates them is loaded with the first. */
import type { Authorizer } from '../../ports/authorization.ts';
import { refuse } from '../refusal.ts';
import type { SeenRequest } from '../expressions/activation.ts';
import type { CompiledExpression, ExpressionCompiler } from '@binnacle/cel';
import type * as Evaluation from '../expressions/evaluation.ts';
import type { AnyWebhook } from './webhook-match.ts';

export class WebhookConditions {
  readonly #authorizer: Authorizer;
  readonly #compiled = new WeakMap<AnyWebhook, readonly CompiledExpression[]>();
  #compiler: ExpressionCompiler | undefined;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** Whether the webhook is to be asked. Throws 403 where that cannot be said and its policy is to fail. */
  async areMet(hook: AnyWebhook, seen: SeenRequest): Promise<boolean> {
    const { matchConditions = [] } = hook;
    if (matchConditions.length === 0) return true;
    const evaluation = await import('../expressions/evaluation.ts');
    const conditions = this.#conditions(hook, evaluation);
    const activation = new evaluation.Activation(seen, { authorizer: this.#authorizer });
    const ignores = hook.failurePolicy === 'Ignore';
    const { isMatch, error } = await evaluation.matchConditions(conditions, activation, ignores);
    if (error !== undefined) throw refuse(seen.attributes, error);
    return isMatch;
  }

  #conditions(hook: AnyWebhook, evaluation: typeof Evaluation): readonly CompiledExpression[] {
    const known = this.#compiled.get(hook);
    if (known !== undefined) return known;
    this.#compiler ??= new evaluation.ExpressionCompiler();
    const compiled = evaluation.compileConditions(hook.matchConditions ?? [], this.#compiler, { hasAuthorizer: true });
    this.#compiled.set(hook, compiled);
    return compiled;
  }
}
