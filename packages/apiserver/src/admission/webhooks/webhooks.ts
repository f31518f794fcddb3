import {
  applyJsonPatch,
  DecodeError,
  deepEqual,
  parseDocument,
  putMember,
  status,
  StatusError,
} from '@binnacle/machinery';
import { deepCopy } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Authorizer } from '../../ports/authorization.ts';
import type { CacheReader } from '../../ports/reader.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../ports/admission.ts';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import { askWebhook } from './ask-webhook.ts';
import type { WebhookTurn, WebhookWorld } from './ask-webhook.ts';
import { AskedWebhook, typeOf } from './asked-webhook.ts';
import { isAdmissionConfiguration, mutatingWebhooks, validatingWebhooks } from './webhook-configurations.ts';
import { WebhookCallError } from './webhook-errors.ts';
import { WebhookConditions } from './webhook-conditions.ts';
import { matchWebhook } from './webhook-match.ts';
import type { CompiledWebhook } from './webhook-match.ts';

export interface WebhooksWorld extends WebhookWorld {
  readonly cache: CacheReader;
  /** For conditions that ask what somebody may do. */
  readonly authorizer: Authorizer;
  readonly measures: AdmissionMeasures;
}

/** Asks the webhooks that change objects, one after the other, each with what the one before made of the object. */
export function createMutatingWebhooks(world: WebhooksWorld): AdmissionPlugin {
  const configurations = mutatingWebhooks(world.cache);
  const conditions = new WebhookConditions(world);
  const rounds = new WeakMap<AdmissionAttributes, Round>();
  return {
    name: 'MutatingAdmissionWebhook',
    changes: 'anything',
    handles: (_, info) => !isAdmissionConfiguration(info),
    isIdle: () => configurations.all.length === 0,
    async admit(attributes) {
      const round = rounds.get(attributes) ?? { asked: new Set(), again: new Set(), output: undefined };
      rounds.set(attributes, round);
      const changedMeanwhile = attributes.round === 1 && !deepEqual(round.output, attributes.object);
      if (changedMeanwhile) askAgain(round);
      for (const [at, compiled] of configurations.all.entries()) {
        if (attributes.round === 1 && !round.again.has(compiled.id)) continue;
        const turn = await turnOf(attributes, { compiled, mutating: true, conditions });
        if (turn === undefined) continue;
        const since = world.measures.now();
        const changed = await failingAsAsked(world, attributes, {
          ...{ compiled, at },
          ask: async () => mutate(world, attributes, turn),
        }).finally(() => attributes.waited(world.measures.now() - since));
        note(attributes, { compiled, at, changed: changed === true });
        if (changed === true) {
          askAgain(round);
          attributes.requestAnotherRound();
        }
        if ('reinvocationPolicy' in compiled.hook && compiled.hook.reinvocationPolicy === 'IfNeeded') {
          round.asked.add(compiled.id);
        }
      }
      round.output = deepCopy(attributes.object);
    },
  };
}

interface Round {
  /** Who wants to see what others made of the object after them. */
  readonly asked: Set<string>;
  readonly again: Set<string>;
  /** As the last webhook left it. */
  output: KubeObject | undefined;
}

function askAgain({ asked, again }: Round): void {
  for (const id of asked) again.add(id);
  asked.clear();
}

/** Asks the webhooks that only look, all at once. */
export function createValidatingWebhooks(world: WebhooksWorld): AdmissionPlugin {
  const configurations = validatingWebhooks(world.cache);
  const conditions = new WebhookConditions(world);
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (_, info) => !isAdmissionConfiguration(info),
    isIdle: () => configurations.all.length === 0,
    async validate(attributes) {
      const turns: WebhookTurn[] = [];
      for (const compiled of configurations.all) {
        const turn = await turnOf(attributes, { compiled, mutating: false, conditions });
        if (turn !== undefined) turns.push(turn);
      }
      const since = world.measures.now();
      const outcomes = await Promise.allSettled(
        turns.map((turn, at) =>
          failingAsAsked(world, attributes, {
            ...{ compiled: turn.compiled, at },
            ask: async () => askWebhook(world, attributes, turn),
          }),
        ),
      );
      // Several at once: the request waited for the slowest.
      attributes.waited(world.measures.now() - since);
      const refused = outcomes.find((outcome) => outcome.status === 'rejected');
      if (refused !== undefined) throw refused.reason;
    },
  };
}

interface Turning {
  readonly compiled: CompiledWebhook;
  readonly mutating: boolean;
  readonly conditions: WebhookConditions;
}

async function turnOf(
  attributes: AdmissionAttributes,
  { compiled, mutating, conditions }: Turning,
): Promise<WebhookTurn | undefined> {
  const info = matchWebhook(compiled, attributes);
  if (info === undefined) return undefined;
  const { object, before } = attributes;
  const seen = {
    info,
    object: object === undefined ? undefined : await attributes.inVersion(object, info),
    before: before === undefined ? undefined : await attributes.inVersion(before, info),
  };
  if (!(await conditions.areMet(compiled.hook, { attributes, ...seen }))) return undefined;
  return { compiled, mutating, ...seen };
}

async function mutate(world: WebhooksWorld, attributes: AdmissionAttributes, turn: WebhookTurn): Promise<boolean> {
  const { hook } = turn.compiled;
  const { patch } = await askWebhook(world, attributes, turn);
  if (patch === undefined) return false;
  const operations = parsePatch(hook.name, patch);
  if (Array.isArray(operations) && operations.length === 0) return false;
  const { object } = attributes;
  if (object === undefined || turn.object === undefined) {
    throw status.internalError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const made = await attributes.rebuild(applied(turn.object, operations), turn.info);
  if (deepEqual(made, object)) return false;
  replaceIn(object, made);
  return true;
}

function parsePatch(name: string, patch: string): unknown {
  try {
    return parseDocument(patch, 'written');
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new WebhookCallError(name, `received undecodable patch in webhook response: ${error.message}`, error);
  }
}

function applied(object: KubeObject, operations: unknown): unknown {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw status.internalError(status.whyRefused(error));
  }
}

/** Whoever holds the object sees what was made of it. */
function replaceIn(object: KubeObject, made: KubeObject): void {
  const target = object as unknown as { [name: string]: unknown };
  for (const name of Object.keys(target)) delete target[name];
  for (const [name, value] of Object.entries(made)) putMember(target, name, value);
}

interface Asking<T> {
  readonly compiled: CompiledWebhook;
  readonly at: number;
  readonly ask: () => Promise<T>;
}

/** A webhook that cannot be asked refuses the request, or is let be where its policy says so. */
async function failingAsAsked<T>(
  { measures }: Pick<WebhooksWorld, 'measures'>,
  attributes: AdmissionAttributes,
  { compiled, at, ask }: Asking<T>,
): Promise<T | undefined> {
  const { hook } = compiled;
  const asked = new AskedWebhook(measures, { name: hook.name, type: typeOf(hook), operation: attributes.operation });
  try {
    const answer = await ask();
    asked.answered();
    return answer;
  } catch (error) {
    const isOpen = hook.failurePolicy === 'Ignore';
    asked.failed(error, isOpen);
    if (!(error instanceof WebhookCallError)) throw error;
    if (attributes.signal?.aborted === true)
      throw status.timeout('request did not complete within requested timeout', 0);
    if (!isOpen) throw status.internalError(error.message);
    const sort = 'reinvocationPolicy' in hook ? 'mutation' : 'validating';
    const key = `failed-open.${sort}.webhook.admission.k8s.io/round_${attributes.round}_index_${at}`;
    attributes.annotate(key, hook.name);
    return undefined;
  }
}

function note(
  attributes: AdmissionAttributes,
  { compiled, at, changed }: { readonly compiled: CompiledWebhook; readonly at: number; readonly changed: boolean },
): void {
  const { configuration, hook } = compiled;
  attributes.annotate(
    `mutation.webhook.admission.k8s.io/round_${attributes.round}_index_${at}`,
    JSON.stringify({ configuration, webhook: hook.name, mutated: changed }),
  );
}
