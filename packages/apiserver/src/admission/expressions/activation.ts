/** What the expressions about one request look at, and how they are run: within a budget, waiting for authorizers. */
import type { ResourceInfo } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import { AuthorizationValue, documentValue, EvaluationError, MapValue, requestResource } from '@binnacle/cel';
import type { AuthorizationAnswer, AuthorizationQuestion, Outcome, Value } from '@binnacle/cel';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import type { Authorizer, RequestAttributes } from '../../ports/authorization.ts';
import { makeReview, shown } from '../webhooks/admission-review.ts';
import type { CompiledExpression } from '@binnacle/cel';

/** What one expression may cost, in upstream's units. */
const CALL_MAX = 1_000_000;
const NO_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** The request as a policy or a webhook wants to see it. */
export interface SeenRequest {
  readonly attributes: AdmissionAttributes;
  /** The version in which it is seen. */
  readonly info: ResourceInfo;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
}

/** What is there beside the request. */
export interface Surroundings {
  readonly authorizer?: Authorizer;
  /** Undefined: the binding has none. */
  readonly params?: KubeObject | undefined;
  readonly variables?: ReadonlyMap<string, CompiledExpression>;
  readonly measures: AdmissionMeasures;
}

/** What an expression came to. */
export interface Evaluated {
  readonly value?: Value;
  /** In upstream's words. */
  readonly error?: string;
}

/** Thrown through an expression: an authorizer has to be waited for. */
class PendingAnswer {
  readonly answered: Promise<void>;

  constructor(answered: Promise<void>) {
    this.answered = answered;
  }
}

/** The budget of an object's expressions is spent. */
export class BudgetError extends EvaluationError {
  constructor() {
    super(NO_BUDGET);
  }
}

/** A sum that is spent by one expression after the other. */
export class Budget {
  #left: number;

  constructor(amount: number) {
    this.#left = amount;
  }

  /** Throws BudgetError. */
  spend(cost: number): void {
    if (cost > this.#left) {
      this.#left = 0;
      throw new BudgetError();
    }
    this.#left -= cost;
  }
}

export class Activation {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #measures: AdmissionMeasures;
  /** What the variables have cost since the last expression. */
  #variableCost = 0;

  constructor(seen: SeenRequest, { authorizer, params, variables = new Map(), measures }: Surroundings) {
    this.#measures = measures;
    const values = new Map<string, Value>([
      ['object', objectValue(seen.object, seen)],
      ['oldObject', objectValue(seen.before, seen)],
      ['request', documentValue(requestOf(seen))],
      ['namespaceObject', documentValue(seen.attributes.namespaceObject ?? null)],
      ['params', documentValue(params ?? null)],
    ]);
    values.set('variables', new Variables(variables, (expression) => this.#evaluateVariable(expression)));
    if (authorizer !== undefined) {
      const answers = new Answers(seen.attributes, authorizer);
      const ask = (question: AuthorizationQuestion): AuthorizationAnswer => answers.answer(question);
      values.set('authorizer', new AuthorizationValue(ask));
      values.set('authorizer.requestResource', requestResource(ask, ownQuestion(seen.attributes)));
    }
    this.#values = values;
  }

  /** Runs an expression. Throws BudgetError where the budget does not reach. */
  async evaluate(expression: CompiledExpression, budget: Budget): Promise<Evaluated> {
    if (expression.program === undefined) return { error: `compilation error: ${expression.error ?? ''}` };
    const since = this.#measures.now();
    const outcome = await this.#waiting(expression);
    this.#measures.took('evaluationSeconds', [], this.#measures.now() - since);
    budget.spend(outcome.cost + this.#variableCost);
    if (outcome.error === undefined) return outcome.value === undefined ? {} : { value: outcome.value };
    const why = messageOf(outcome.error);
    return { error: `expression '${expression.source}' resulted in error: ${why}` };
  }

  async #waiting({ program }: CompiledExpression): Promise<Outcome> {
    for (;;) {
      this.#variableCost = 0;
      try {
        return program?.run(this.#values, CALL_MAX) ?? { cost: 0 };
      } catch (pending) {
        if (!(pending instanceof PendingAnswer)) throw pending;
        await pending.answered;
      }
    }
  }

  #evaluateVariable({ program, error }: CompiledExpression): Outcome {
    if (program === undefined) return { error: new EvaluationError(error ?? ''), cost: 0 };
    const outcome = program.run(this.#values, CALL_MAX);
    this.#variableCost += outcome.cost;
    return outcome;
  }
}

/** Each is worked out when it is first asked for, and kept. */
class Variables extends MapValue {
  override readonly typeName = 'kubernetes.variables';
  readonly #expressions: ReadonlyMap<string, CompiledExpression>;
  readonly #evaluate: (expression: CompiledExpression) => Outcome;
  readonly #known = new Map<string, Outcome>();

  constructor(
    expressions: ReadonlyMap<string, CompiledExpression>,
    evaluate: (expression: CompiledExpression) => Outcome,
  ) {
    super();
    this.#expressions = expressions;
    this.#evaluate = evaluate;
  }

  override get size(): number {
    return this.#expressions.size;
  }

  override get(name: Value): Value | undefined {
    if (typeof name !== 'string') return undefined;
    const expression = this.#expressions.get(name);
    if (expression === undefined) return undefined;
    const outcome = this.#known.get(name) ?? this.#evaluate(expression);
    this.#known.set(name, outcome);
    if (outcome.value !== undefined) return outcome.value;
    const why = messageOf(outcome.error);
    const verb = expression.program === undefined ? 'compile' : 'evaluate';
    throw new EvaluationError(`composited variable ${JSON.stringify(name)} fails to ${verb}: ${why}`);
  }

  override keys(): Iterable<Value> {
    return this.#expressions.keys();
  }
}

/** What the authorizer said, asked once for each question of a request. */
class Answers {
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: Authorizer;
  readonly #known = new Map<string, AuthorizationAnswer>();

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    this.#attributes = attributes;
    this.#authorizer = authorizer;
  }

  /** Throws PendingAnswer where the authorizer has to ask somebody. */
  answer(question: AuthorizationQuestion): AuthorizationAnswer {
    const key = JSON.stringify(question);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const asked = this.#authorizer.authorize(this.#asked(question));
    if (asked instanceof Promise) {
      throw new PendingAnswer(asked.then(({ decision, reason }) => this.#keep(key, decision === 'allow', reason)));
    }
    this.#keep(key, asked.decision === 'allow', asked.reason);
    return { isAllowed: asked.decision === 'allow', reason: asked.reason };
  }

  #keep(key: string, isAllowed: boolean, reason: string): void {
    this.#known.set(key, { isAllowed, reason });
  }

  #asked({ serviceAccount, ...question }: AuthorizationQuestion): RequestAttributes {
    const { user, signal } = this.#attributes;
    return {
      user: serviceAccount === undefined ? user : accountOf(serviceAccount),
      isResource: question.path === undefined,
      path: '',
      group: '',
      version: '*',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
      ...question,
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

function accountOf({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

function ownQuestion({ info, subresource, namespace, name }: AdmissionAttributes) {
  return { group: info.group, resource: info.resource, subresource, namespace, name };
}

function objectValue(object: KubeObject | undefined, { attributes, info }: SeenRequest): Value {
  const isOwnKind = attributes.kind.kind === attributes.info.kind;
  return documentValue(shown(object, isOwnKind ? info : attributes.kind));
}

function requestOf({ attributes, info }: SeenRequest): unknown {
  const review = makeReview(attributes, { uid: '', version: 'v1', info, object: undefined, before: undefined });
  const { request } = review as { readonly request: { readonly [field: string]: unknown } };
  return Object.fromEntries(
    Object.entries(request).filter(([field]) => field !== 'uid' && field !== 'object' && field !== 'oldObject'),
  );
}
