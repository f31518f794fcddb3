/** MutatingAdmissionPolicy: changes written as expressions, laid over what is written, without a webhook. */
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@binnacle/api/admissionregistration/v1';
import { deepCopy, deepEqual, putMember, StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../ports/admission.ts';
import type { CompiledMutatingPolicy } from '../expressions/policy-expressions.ts';
import { Turns } from '../../request/turns.ts';
import { refuse } from '../refusal.ts';
import { CompiledPolicies } from './compiled-policies.ts';
import { isForPolicies, PolicyIndex } from './policy-index.ts';
import { seenIn, turnsOf } from './policy-turn.ts';
import type { PolicyTurn } from './policy-turn.ts';
import type { PoliciesWorld } from './validating-policies.ts';

type Policy = MutatingAdmissionPolicy & KubeObject;
type Binding = MutatingAdmissionPolicyBinding & KubeObject;
type Turn = PolicyTurn<Policy, Binding>;

/** What policies have seen of one request. */
interface Round {
  /** Who wants to see what others made of the object after them. */
  readonly asked: Set<string>;
  readonly again: Set<string>;
  /** As the last policy left it. */
  output: KubeObject | undefined;
}

export function createMutatingPolicies(world: PoliciesWorld): AdmissionPlugin {
  const index = new PolicyIndex<Policy, Binding>(world.cache, {
    policies: 'mutatingadmissionpolicies',
    bindings: 'mutatingadmissionpolicybindings',
  });
  const mutator = new Mutator(world);
  const rounds = new WeakMap<AdmissionAttributes, Round>();
  return {
    name: 'MutatingAdmissionPolicy',
    handles: (_, info) => isForPolicies(info),
    isIdle: () => index.bound.length === 0,
    async admit(attributes) {
      if (attributes.object === undefined) return;
      const round = rounds.get(attributes) ?? { asked: new Set(), again: new Set(), output: undefined };
      rounds.set(attributes, round);
      if (attributes.round === 1 && !deepEqual(round.output, attributes.object)) askAgain(round);
      const errors: string[] = [];
      for (const turn of await turnsOf(index.bound, attributes, world)) {
        const found = await take(mutator, attributes, { turn, round });
        if (turn.policy.spec.failurePolicy !== 'Ignore') errors.push(...found);
      }
      round.output = deepCopy(attributes.object);
      if (errors.length > 0) throw statusOf(attributes, errors);
    },
  };
}

function askAgain({ asked, again }: Round): void {
  for (const id of asked) again.add(id);
  asked.clear();
}

/** Has a policy change the object, once for each of its parameters; what went wrong. */
async function take(
  mutator: Mutator,
  attributes: AdmissionAttributes,
  { turn, round }: { readonly turn: Turn; readonly round: Round },
): Promise<readonly string[]> {
  if (turn.error !== undefined) return [messageOf(turn, turn.error)];
  const errors: string[] = [];
  for (const params of turn.params) {
    const id = [turn.name, turn.bound?.name, params?.metadata.namespace, params?.metadata.name].join('/');
    if (attributes.round === 1 && !round.again.has(id)) continue;
    const before = deepCopy(attributes.object);
    const found = await mutator.mutate(turn, attributes, params);
    errors.push(...found.map((error) => messageOf(turn, error)));
    if (!deepEqual(before, attributes.object)) {
      askAgain(round);
      attributes.requestAnotherRound();
    }
    if (turn.policy.spec.reinvocationPolicy === 'IfNeeded') round.asked.add(id);
  }
  return errors;
}

function messageOf({ name, bound }: Turn, why: string): string {
  if (bound === undefined) return `policy ${JSON.stringify(name)} denied request: ${why}`;
  return `policy '${name}' with binding '${bound.name}' denied request: ${why}`;
}

function statusOf(attributes: AdmissionAttributes, errors: readonly string[]): StatusError {
  const causes = errors.map((message) => ({ message }));
  const { status } = refuse(attributes, 'admission request denied by policy', causes);
  return new StatusError({ ...status, message: errors[0] ?? '', reason: 'Invalid' });
}

/** Evaluates and lays changes over objects; what does it is loaded with the first policy that a request meets. */
class Mutator {
  readonly #world: PoliciesWorld;
  readonly #compiled = new CompiledPolicies<Policy, CompiledMutatingPolicy>();

  constructor(world: PoliciesWorld) {
    this.#world = world;
  }

  async mutate(
    turn: Turn,
    attributes: AdmissionAttributes,
    params: KubeObject | undefined,
  ): Promise<readonly string[]> {
    const evaluation = await import('../expressions/evaluation.ts');
    const { policy, info } = turn;
    const { authorizer, clock, measures } = this.#world;
    const turns = new Turns(clock);
    const compiled = await this.#compiled.of(policy, turns, () =>
      evaluation.piecesOfMutatingPolicy(policy, new evaluation.TimedCompiler(measures)),
    );
    const surroundings = { authorizer, measures, params, variables: compiled.variables };
    const first = new evaluation.Activation(await seenIn(attributes, info), surroundings);
    const ignores = policy.spec.failurePolicy === 'Ignore';
    const { isMatch, error } = await evaluation.matchConditions(compiled.conditions, first, {
      ...{ ignores, measures },
      labels: [turn.name, 'policy', 'admit', attributes.operation],
    });
    if (error !== undefined) return [error];
    const errors: string[] = [];
    for (const [at, expression] of isMatch ? compiled.mutations.entries() : []) {
      const rest = turns.next();
      if (rest !== undefined) await rest;
      // Each sees what the one before made of the object.
      const seen = await seenIn(attributes, info);
      const activation = new evaluation.Activation(seen, surroundings);
      const isPatch = policy.spec.mutations?.[at]?.patchType === 'JSONPatch';
      const change = { expression, activation, seen, isPatch };
      const since = measures.now();
      const outcome = await evaluation.changed(change);
      const sort = !('error' in outcome)
        ? 'no_error'
        : expression.program === undefined
          ? 'compile_error'
          : 'invalid_error';
      const labels = [turn.name, turn.bound?.name ?? '', sort];
      measures.count('mutatingChecks', labels);
      measures.took('mutatingSeconds', labels, measures.now() - since);
      if ('error' in outcome) errors.push(outcome.error);
      else if (attributes.object !== undefined)
        replaceIn(attributes.object, await attributes.rebuild(outcome.object, info));
    }
    return errors;
  }
}

/** Whoever holds the object sees what was made of it. */
function replaceIn(object: KubeObject, made: KubeObject): void {
  const target = object as unknown as { [name: string]: unknown };
  for (const name of Object.keys(target)) delete target[name];
  for (const [name, value] of Object.entries(made)) putMember(target, name, value);
}
