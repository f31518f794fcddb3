import { assert } from '@binnacle/base';
import { UNOBSERVED } from '../ports/access-measures.ts';
import type { AuthorizerMeter } from '../ports/access-measures.ts';
import type { AuthorizationDecision, Authorizer, RequestAttributes } from '../ports/authorization.ts';
import { DEFAULT_AUTHORIZERS } from '../ports/authorization-settings.ts';
import type { AuthorizerSettings } from '../ports/authorization-settings.ts';
import type { TokenWorld } from './believed-tokens.ts';
import { createAuthorizerChain } from './authorizer.ts';
import { createWebhookAuthorizer } from './webhook-authorizer.ts';

/** What they are asked with. */
export type AuthorizersWorld = Omit<TokenWorld, 'audiences'>;

/** Those of the house. */
export interface OwnAuthorizers {
  readonly node: Authorizer;
  readonly rbac: Authorizer;
}

/** Who decides may be exchanged while the server runs. */
export class ReplaceableAuthorizer implements Authorizer {
  #current: Authorizer;

  constructor(first: Authorizer) {
    this.#current = first;
  }

  authorize(attributes: RequestAttributes): ReturnType<Authorizer['authorize']> {
    return this.#current.authorize(attributes);
  }

  /** This one decides from now on. */
  replace(next: Authorizer): void {
    this.#current = next;
  }
}

/** The chain that an administrator chose, behind the privileged group. */
export function createAuthorizers(
  world: AuthorizersWorld,
  { node, rbac }: OwnAuthorizers,
  chosen: readonly AuthorizerSettings[] = DEFAULT_AUTHORIZERS,
): Authorizer {
  const { accessMeasures = UNOBSERVED } = world;
  const made = chosen.map((one, i): Authorizer => {
    switch (one.type) {
      case 'Node':
        return node;
      case 'RBAC':
        return rbac;
      case 'AlwaysAllow':
        return { authorize: () => ({ decision: 'allow', reason: '' }) };
      case 'AlwaysDeny':
        return { authorize: () => ({ decision: 'noOpinion', reason: 'Everything is forbidden.' }) };
      case 'Webhook': {
        const { http } = world;
        assert(http !== undefined, 'who lets others decide has somebody to ask them with');
        return createWebhookAuthorizer(
          { ...world, http, meter: accessMeasures.webhookMeter(one.name) },
          one.webhook,
          `authorizers[${i}].webhook.matchConditions`,
        );
      }
    }
  });
  const counted = made.map((one, i) => {
    const { type = '', name = '' } = chosen[i] ?? {};
    return countedAuthorizer(one, accessMeasures.authorizerMeter(type, name));
  });
  return createAuthorizerChain(counted);
}

/** The same one; what it decides is counted. */
function countedAuthorizer(authorizer: Authorizer, meter: AuthorizerMeter): Authorizer {
  const counted = (answer: AuthorizationDecision): AuthorizationDecision => {
    if (answer.decision === 'allow') meter.decided('allowed');
    else if (answer.decision === 'deny') meter.decided('denied');
    return answer;
  };
  return {
    authorize(attributes) {
      const answer = authorizer.authorize(attributes);
      return answer instanceof Promise ? answer.then(counted) : counted(answer);
    },
  };
}
