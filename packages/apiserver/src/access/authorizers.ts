import { assert } from '@binnacle/base';
import type { Authorizer, RequestAttributes } from '../ports/authorization.ts';
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
        return createWebhookAuthorizer({ ...world, http }, one.webhook, `authorizers[${i}].webhook.matchConditions`);
      }
    }
  });
  return createAuthorizerChain(made);
}
