import type { Random } from '@binnacle/base';
import type { ResourceInfo } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import { makeReview, readReview, refusalOf, reviewVersion } from './admission-review.ts';
import type { ReviewAnswer } from './admission-review.ts';
import { callWebhook } from './webhook-caller.ts';
import type { CallerWorld } from './webhook-caller.ts';
import type { CompiledWebhook } from './webhook-match.ts';

export interface WebhookWorld extends CallerWorld {
  readonly random: Random;
}

/** One webhook's turn. */
export interface WebhookTurn {
  readonly compiled: CompiledWebhook;
  /** As the webhook wants to see it. */
  readonly info: ResourceInfo;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly mutating: boolean;
}

/**
 * Asks, and passes on warnings and audit annotations. Throws the webhook's refusal, 400 where it cannot take dry runs,
 * and WebhookCallError.
 */
export async function askWebhook(
  world: WebhookWorld,
  attributes: AdmissionAttributes,
  turn: WebhookTurn,
): Promise<ReviewAnswer> {
  const { compiled, mutating } = turn;
  const { hook } = compiled;
  if (attributes.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
    throw status.badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  }
  const version = reviewVersion(hook);
  const uid = world.random.uuid();
  const review = makeReview(attributes, { uid, version, ...turn });
  const { signal } = attributes;
  const annotate = (key: string, value: string): void => attributes.annotate(key, value);
  const reply = await callWebhook(world, hook, { review, signal, annotate });
  const answer = readReview(hook.name, reply, { uid, version, mutating });
  for (const [key, value] of Object.entries(answer.auditAnnotations)) attributes.annotate(`${hook.name}/${key}`, value);
  for (const warning of answer.warnings) attributes.warn(warning);
  if (!answer.allowed) throw refusalOf(hook.name, answer.status);
  return answer;
}
