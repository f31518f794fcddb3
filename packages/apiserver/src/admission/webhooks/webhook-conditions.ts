/** Whether the conditions of a webhook let a request through to it. What evaluates them is loaded with the first. */
import type { Authorizer } from '../../ports/authorization.ts';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import { refuse } from '../refusal.ts';
import type { SeenRequest } from '../expressions/activation.ts';
import type { CompiledExpression } from '@binnacle/cel';
import type * as Evaluation from '../expressions/evaluation.ts';
import { typeOf } from './asked-webhook.ts';
import type { AnyWebhook } from './webhook-match.ts';

export interface ConditionsWorld {
  readonly authorizer: Authorizer;
  readonly measures: AdmissionMeasures;
}

export class WebhookConditions {
  readonly #world: ConditionsWorld;
  readonly #compiled = new WeakMap<AnyWebhook, readonly CompiledExpression[]>();
  #compiler: Evaluation.TimedCompiler | undefined;

  constructor(world: ConditionsWorld) {
    this.#world = world;
  }

  /** Whether the webhook is to be asked. Throws 403 where that cannot be said and its policy is to fail. */
  async areMet(hook: AnyWebhook, seen: SeenRequest): Promise<boolean> {
    const { matchConditions = [] } = hook;
    if (matchConditions.length === 0) return true;
    const evaluation = await import('../expressions/evaluation.ts');
    const conditions = this.#conditions(hook, evaluation);
    const { measures } = this.#world;
    const activation = new evaluation.Activation(seen, this.#world);
    const ignores = hook.failurePolicy === 'Ignore';
    const labels = [hook.name, 'webhook', typeOf(hook), seen.attributes.operation];
    const { isMatch, error } = await evaluation.matchConditions(conditions, activation, { ignores, measures, labels });
    if (error !== undefined) throw refuse(seen.attributes, error);
    return isMatch;
  }

  #conditions(hook: AnyWebhook, evaluation: typeof Evaluation): readonly CompiledExpression[] {
    const known = this.#compiled.get(hook);
    if (known !== undefined) return known;
    this.#compiler ??= new evaluation.TimedCompiler(this.#world.measures);
    const compiled = evaluation.compileConditions(hook.matchConditions ?? [], this.#compiler, { hasAuthorizer: true });
    this.#compiled.set(hook, compiled);
    return compiled;
  }
}
