import { askHook, HookCallError } from '../../outbound/ask-hook.ts';
import type { HookQuestion, HookWorld } from '../../outbound/ask-hook.ts';
import { WebhookCallError } from './webhook-errors.ts';
import type { AnyWebhook } from './webhook-match.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;

export type CallerWorld = HookWorld;

/** Asks an admission webhook and reads its answer. Throws WebhookCallError. */
export async function callWebhook(
  world: CallerWorld,
  hook: AnyWebhook,
  { review, signal, annotate }: Pick<HookQuestion, 'review' | 'signal' | 'annotate'>,
): Promise<unknown> {
  const seconds = hook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  try {
    return await askHook(world, hook.clientConfig, { review, seconds, signal, annotate });
  } catch (error) {
    if (error instanceof HookCallError)
      throw new WebhookCallError(hook.name, `failed to call webhook: ${error.message}`, error);
    throw error;
  }
}
