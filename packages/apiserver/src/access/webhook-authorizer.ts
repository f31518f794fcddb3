import { messageOf, RecentTable } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { askEndpoint, EndpointError } from '../outbound/json-endpoint.ts';
import type { AskingWorld } from '../outbound/json-endpoint.ts';
import type { AuthorizationDecision, Authorizer, RequestAttributes } from '../ports/authorization.ts';
import { UNOBSERVED } from '../ports/access-measures.ts';
import type { AuthorizationWebhookMeter, WebhookResult } from '../ports/access-measures.ts';
import type { AuthorizationWebhook } from '../ports/authorization-settings.ts';
import { answeredStatus } from './answered-status.ts';
import { reviewSpec } from './access-review.ts';
import { compileMatchConditions } from './match-conditions.ts';
import { ACCESS_RETRIES } from './webhook-tokens.ts';

const ANSWERS_MAX = 8192;
/** Longer questions are asked each time: callers make them up. */
const QUESTION_LENGTH_MAX = 10_000;
/** Nor are answers kept that say more than anybody reads. */
const REASON_LENGTH_MAX = 1_000;
const NO_OPINION: AuthorizationDecision = { decision: 'noOpinion', reason: '' };

interface Kept {
  readonly decision: AuthorizationDecision;
  readonly until: number;
}

/** What a webhook is asked with. */
export interface WebhookWorld extends AskingWorld {
  readonly log: Logger;
  /** Absent: nobody keeps score. */
  readonly meter?: AuthorizationWebhookMeter;
}

/** Asks somebody else who may, by a SubjectAccessReview; what was said holds for a while. Never rejects. */
export function createWebhookAuthorizer(world: WebhookWorld, settings: AuthorizationWebhook, path: string): Authorizer {
  const { clock, meter = UNOBSERVED.webhookMeter('') } = world;
  const matches = compileMatchConditions(settings.matchConditions, path);
  const failed: AuthorizationDecision = {
    decision: settings.failurePolicy === 'Deny' ? 'deny' : 'noOpinion',
    reason: '',
  };
  const kept = new RecentTable<Kept>(ANSWERS_MAX);
  const asked = new Map<string, Promise<AuthorizationDecision>>();
  return {
    authorize(attributes) {
      const spec = reviewSpec(attributes);
      const applies = matches(spec);
      if (applies === undefined) return failed;
      if (!applies) return NO_OPINION;
      const key = JSON.stringify(spec);
      const known = kept.get(key);
      if (known !== undefined && known.until > clock.monotonic()) return known.decision;
      const waiting = asked.get(key);
      if (waiting !== undefined) return waiting;
      const answer = ask(spec, key).finally(() => asked.delete(key));
      asked.set(key, answer);
      return answer;
    },
  };

  async function ask(spec: object, key: string): Promise<AuthorizationDecision> {
    const asked = { kind: 'SubjectAccessReview', apiVersion: `authorization.k8s.io/${settings.version}` };
    const body = {
      ...asked,
      metadata: {},
      spec: settings.version === 'v1' ? spec : asBeta(spec),
      status: { allowed: false },
    };
    let tookSeconds = 0;
    const tried = (ms: number, error: unknown): void => {
      tookSeconds = ms / 1000;
      if (error !== undefined) meter.asked(failureOf(error), tookSeconds);
    };
    try {
      const retries = { ...ACCESS_RETRIES, timeoutMs: settings.timeoutMs };
      const status = answeredStatus(await askEndpoint(world, settings.endpoint, { body, retries, tried }), asked);
      // Of what came, only what can be read is an answer.
      meter.asked(status === undefined ? 'error' : 'success', tookSeconds);
      if (status === undefined) throw new EndpointError(`the answer is no ${asked.kind}`, { passing: false });
      const decision = decisionOf(status);
      const ttl = decision.decision === 'allow' ? settings.authorizedTtlMs : settings.unauthorizedTtlMs;
      const isShort = key.length <= QUESTION_LENGTH_MAX && decision.reason.length <= REASON_LENGTH_MAX;
      if (ttl > 0 && isShort) kept.set(key, { decision, until: clock.monotonic() + ttl });
      return decision;
    } catch (error) {
      if (settings.failurePolicy === 'NoOpinion') meter.failedOpen(failureOf(error));
      world.log.warn('the webhook of authorization does not answer', { reason: messageOf(error) });
      return failed;
    }
  }
}

function failureOf(error: unknown): Exclude<WebhookResult, 'success'> {
  return error instanceof EndpointError && error.timedOut ? 'timeout' : 'error';
}

/** The groups had another name. */
function asBeta(spec: object): object {
  const { groups, ...rest } = spec as { readonly groups?: RequestAttributes['user']['groups'] };
  return { ...rest, group: groups };
}

function decisionOf(status: { readonly [field: string]: unknown }): AuthorizationDecision {
  const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
  // Both at once is a no.
  if (status['denied'] === true) return { decision: 'deny', reason };
  return { decision: status['allowed'] === true ? 'allow' : 'noOpinion', reason };
}
