/** ValidatingAdmissionPolicy: expressions that have to hold of what is written, without a webhook. */
import type {
  AuditAnnotation,
  Validation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@binnacle/api/admissionregistration/v1';
import type { Clock } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../ports/admission.ts';
import type { Authorizer } from '../../ports/authorization.ts';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import type { CacheReader } from '../../ports/reader.ts';
import type { Activation, Evaluated, SeenRequest } from '../expressions/activation.ts';
import type { CompiledValidatingPolicy } from '../expressions/policy-expressions.ts';
import type * as Evaluation from '../expressions/evaluation.ts';
import { Turns } from '../../request/turns.ts';
import type { Turning } from '../../request/turns.ts';
import { refuse } from '../refusal.ts';
import { CompiledPolicies } from './compiled-policies.ts';
import type { ParamsWorld } from './params.ts';
import { isForPolicies, PolicyIndex } from './policy-index.ts';
import { seenIn, turnsOf } from './policy-turn.ts';
import type { PolicyTurn } from './policy-turn.ts';

/** What the expressions of one policy may cost together, for each of its parameters. */
const BUDGET = 10_000_000;
const MESSAGE_BYTES_MAX = 5 * 1024;
const ANNOTATION_BYTES_MAX = 10 * 1024;
const CODES: ReadonlyMap<string, number> = new Map([
  ['Forbidden', 403],
  ['Unauthorized', 401],
  ['RequestEntityTooLarge', 413],
]);

export interface PoliciesWorld extends ParamsWorld {
  readonly clock: Clock;
  readonly cache: CacheReader;
  readonly authorizer: Authorizer;
  readonly measures: AdmissionMeasures;
}

type Policy = ValidatingAdmissionPolicy & KubeObject;
type Binding = ValidatingAdmissionPolicyBinding & KubeObject;
type Turn = PolicyTurn<Policy, Binding>;

/** An expression that does not hold, or cannot be evaluated. */
interface Denial {
  readonly message: string;
  readonly reason: string;
  readonly index: number;
  /** What went wrong, as upstream's figures have it. */
  readonly sort: 'no_error' | 'compile_error' | 'invalid_error' | 'out_of_budget';
  /** How long it took to find out. */
  readonly seconds: number;
}

/** What one evaluation of a policy came to. */
interface Verdict {
  readonly denials: readonly Denial[];
  /** Annotations that cannot be worked out refuse the request whatever the binding says. */
  readonly failures: readonly string[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

export function createValidatingPolicies(world: PoliciesWorld): AdmissionPlugin {
  const index = new PolicyIndex<Policy, Binding>(world.cache, {
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
  });
  const evaluator = new Evaluator(world);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (_, info) => isForPolicies(info),
    isIdle: () => index.bound.length === 0,
    async validate(attributes) {
      const refusals: Refusal[] = [];
      const annotations = new Annotations();
      for (const turn of await turnsOf(index.bound, attributes, world)) {
        const refusal = await judge(evaluator, attributes, { turn, annotations, measures: world.measures });
        if (refusal !== undefined) refusals.push(refusal);
      }
      annotations.tell(attributes);
      const [first] = refusals;
      if (first !== undefined) throw statusOf(attributes, first);
    },
  };
}

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

interface Judging {
  readonly turn: Turn;
  readonly annotations: Annotations;
  readonly measures: AdmissionMeasures;
}

/** Evaluates a policy as a binding says, and does what the binding wants of what does not hold. */
async function judge(
  evaluator: Evaluator,
  attributes: AdmissionAttributes,
  { turn, annotations, measures }: Judging,
): Promise<Refusal | undefined> {
  const { policy, bound, error } = turn;
  if (error !== undefined) return policy.spec.failurePolicy === 'Ignore' ? undefined : refusalOf(turn, error);
  let refusal: Refusal | undefined;
  const actions = bound?.binding.spec.validationActions ?? [];
  const seen = await seenIn(attributes, turn.info);
  for (const params of turn.params) {
    const { denials, failures, annotations: told } = await evaluator.evaluate(policy, seen, params);
    for (const [key, value] of told) annotations.add(`${turn.name}/${key}`, value);
    for (const denial of denials) {
      for (const action of actions) countDenial(measures, turn, { denial, action });
      if (actions.includes('Deny')) refusal ??= refusalOf(turn, denial.message, denial.reason);
      if (actions.includes('Warn')) attributes.warn(warningOf(turn, denial));
      if (actions.includes('Audit')) attributes.annotate(FAILURE_KEY, auditOf(turn, denial));
    }
    const [failure] = failures;
    if (failure !== undefined) refusal ??= refusalOf(turn, failure);
  }
  return refusal;
}

function countDenial(
  measures: AdmissionMeasures,
  { name, bound }: Turn,
  { denial, action }: { readonly denial: Denial; readonly action: string },
): void {
  const labels = [name, bound?.name ?? '', denial.sort, action.toLowerCase()];
  measures.count('validatingChecks', labels);
  measures.took('validatingSeconds', labels, denial.seconds);
}

const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure';

function refusalOf({ name, bound }: Turn, why: string, reason = 'Invalid'): Refusal {
  const binding = bound === undefined ? '' : ` with binding '${bound.name}'`;
  return { message: `ValidatingAdmissionPolicy '${name}'${binding} denied request: ${why}`, reason };
}

function warningOf({ name, bound }: Turn, { message }: Denial): string {
  return `Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${bound?.name ?? ''}': ${message}`;
}

function auditOf({ name, bound }: Turn, { message, index }: Denial): string {
  const validationActions = bound?.binding.spec.validationActions ?? [];
  return JSON.stringify([
    { message, policy: name, binding: bound?.name ?? '', expressionIndex: index, validationActions },
  ]);
}

function statusOf(attributes: AdmissionAttributes, { message, reason }: Refusal): StatusError {
  const { status } = refuse(attributes, message, [{ message }]);
  return new StatusError({ ...status, reason, code: CODES.get(reason) ?? 422 });
}

/** Values of one key that several bindings told are put side by side. */
class Annotations {
  readonly #told = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const known = this.#told.get(key);
    if (known === undefined) this.#told.set(key, new Set([value]));
    else known.add(value);
  }

  tell(attributes: AdmissionAttributes): void {
    for (const [key, values] of this.#told) attributes.annotate(key, [...values].join(', '));
  }
}

/** Evaluates policies; what does it is loaded with the first that a request meets. */
class Evaluator {
  readonly #world: PoliciesWorld;
  readonly #compiled = new CompiledPolicies<Policy, CompiledValidatingPolicy>();

  constructor(world: PoliciesWorld) {
    this.#world = world;
  }

  async evaluate(policy: Policy, seen: SeenRequest, params: KubeObject | undefined): Promise<Verdict> {
    const evaluation = await import('../expressions/evaluation.ts');
    const turns = new Turns(this.#world.clock);
    const compiled = await this.#compiled.of(policy, turns, () => {
      const compiler = new evaluation.TimedCompiler(this.#world.measures);
      return evaluation.piecesOfValidatingPolicy(policy, compiler);
    });
    const activation = new evaluation.Activation(seen, {
      authorizer: this.#world.authorizer,
      measures: this.#world.measures,
      params,
      variables: compiled.variables,
    });
    const ignores = policy.spec.failurePolicy === 'Ignore';
    const { measures } = this.#world;
    const labels = [policy.metadata.name ?? '', 'policy', 'validate', seen.attributes.operation];
    const { isMatch, error } = await evaluation.matchConditions(compiled.conditions, activation, {
      ...{ ignores, measures, labels },
    });
    if (error !== undefined) return { denials: [failureOf(error, 'invalid_error')], failures: [], annotations: [] };
    if (!isMatch) return { denials: [], failures: [], annotations: [] };
    return new Judgement({ policy, compiled, activation, evaluation, ignores, measures, turns }).whole();
  }
}

interface JudgementParts {
  readonly policy: Policy;
  readonly compiled: CompiledValidatingPolicy;
  readonly activation: Activation;
  readonly evaluation: typeof Evaluation;
  /** What cannot be evaluated is let be. */
  readonly ignores: boolean;
  readonly measures: AdmissionMeasures;
  /** A policy of thousands of expressions does not hold up all others. */
  readonly turns: Turning;
}

function failureOf(message: string, sort: Denial['sort']): Denial {
  return { message, reason: '', index: 0, sort, seconds: 0 };
}

/** One evaluation of one policy with one parameter. */
class Judgement {
  readonly #parts: JudgementParts;

  constructor(parts: JudgementParts) {
    this.#parts = parts;
  }

  async whole(): Promise<Verdict> {
    const { BudgetError } = this.#parts.evaluation;
    try {
      const denials = await this.#validations();
      return { denials, ...(await this.#annotations()) };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      const denial = failureOf(error.message, 'out_of_budget');
      return { denials: this.#parts.ignores ? [] : [denial], failures: [], annotations: [] };
    }
  }

  async #validations(): Promise<readonly Denial[]> {
    const { policy, compiled, activation, evaluation, ignores, measures, turns } = this.#parts;
    const budget = new evaluation.Budget(BUDGET);
    const denials: Denial[] = [];
    for (const [index, expression] of compiled.validations.entries()) {
      const turn = turns.next();
      if (turn !== undefined) await turn;
      const since = measures.now();
      const { value, error } = await activation.evaluate(expression, budget);
      const seconds = measures.now() - since;
      const sort = expression.program === undefined ? 'compile_error' : 'invalid_error';
      if (error !== undefined && !ignores) denials.push({ message: error, reason: '', index, sort, seconds });
      if (error !== undefined || value === true) continue;
      const validation = policy.spec.validations?.[index] ?? { expression: '' };
      const own = compiled.messages[index];
      const message = messageOf(validation, own === undefined ? undefined : await activation.evaluate(own, budget));
      denials.push({ message, reason: validation.reason ?? 'Invalid', index, sort: 'no_error', seconds });
    }
    return denials;
  }

  async #annotations(): Promise<Pick<Verdict, 'failures' | 'annotations'>> {
    const { policy, compiled, activation, evaluation, ignores } = this.#parts;
    const budget = new evaluation.Budget(BUDGET);
    const failures: string[] = [];
    const annotations: [string, string][] = [];
    for (const [at, expression] of compiled.annotations.entries()) {
      const { key, valueExpression } = policy.spec.auditAnnotations?.[at] ?? NO_ANNOTATION;
      const { value, error } = await activation.evaluate(expression, budget);
      if (error !== undefined) {
        if (!ignores) failures.push(error);
      } else if (typeof value === 'string') {
        const text = value.trim().slice(0, ANNOTATION_BYTES_MAX);
        if (text !== '') annotations.push([key, text]);
      } else if (value !== null) {
        failures.push(
          `valueExpression '${valueExpression}' resulted in unsupported return type. Return type must be either string or null.`,
        );
      }
    }
    return { failures, annotations };
  }
}

const NO_ANNOTATION: AuditAnnotation = { key: '', valueExpression: '' };

/** What its expression says, else its message, else the validation itself. */
function messageOf({ expression, message = '' }: Validation, own: Evaluated | undefined): string {
  const said = typeof own?.value === 'string' ? own.value.trim() : '';
  if (said !== '' && said.length <= MESSAGE_BYTES_MAX && !said.includes('\n')) return said;
  return message === '' ? `failed expression: ${expression.trim()}` : message.trim();
}
