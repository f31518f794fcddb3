import { assert } from '@binnacle/base';
import { nodeRules } from './default-roles/rbac-objects.ts';
import { UNCOUNTED } from '../ports/measures.ts';
import type { TokenMeasures } from '../ports/measures.ts';
import type { AccessMeasures } from '../ports/access-measures.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { AccessChanges, AccessControl, PolicyOptions } from '../ports/policy.ts';
import type { ServerWorld } from '../ports/world.ts';
import { AccountTokens } from './account-tokens.ts';
import { createAuthentication } from './authenticate.ts';
import { createAuthorizers, ReplaceableAuthorizer } from './authorizers.ts';
import { createNodeAuthorizer } from './node-authorizer.ts';
import { NodeGraph } from './node-graph.ts';
import { createRbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { RbacIndex } from './rbac/rbac-index.ts';
import { createBelievedTokens } from './believed-tokens.ts';
import { createSecretTokens } from './secret-tokens.ts';
import { createUseNotes } from './token-use.ts';
import { createTokenChain } from './token-chain.ts';
import { createTokenAuthenticator } from './token-authenticator.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** Who calls and what they may do, with the parts that other areas of policy ask too. */
export interface Access {
  readonly authenticate: AccessControl['authenticate'];
  readonly authorizer: Authorizer;
  readonly index: RbacIndex;
  readonly tokens: AccountTokens;
  readonly tokenAuthenticator: TokenAuthenticator;
  /** Who a token is meant for when nobody says otherwise. */
  readonly audiences: readonly string[];
  readonly openid: AccessControl['openid'];
  /** For who follows configurations. */
  readonly changes: AccessChanges;
  close(): void;
}

/** What knowing callers needs; uses of tokens are noted through the server itself. */
export interface AccessWorld extends Pick<ServerWorld, 'cache' | 'clock' | 'random' | 'log'> {
  readonly loopback: Pick<ServerWorld['loopback'], 'call'>;
  /** Absent: nobody keeps score. */
  readonly tokenMeasures?: TokenMeasures;
  readonly accessMeasures?: AccessMeasures;
}

export function createAccess(given: AccessWorld, options: PolicyOptions): Access {
  const { cache, clock, random, log, loopback, tokenMeasures: measures = UNCOUNTED } = given;
  const { accessMeasures } = given;
  const counted = accessMeasures === undefined ? {} : { accessMeasures };
  const issuer = options.issuer ?? DEFAULT_ISSUER;
  const tokens = new AccountTokens({ keys: options.tokenKeys, issuer, clock, random });
  const { http, authentication = {} } = options;
  const audiences = [issuer];
  const world = { cache, clock, random, log: log.named('authentication'), http, audiences, ...counted };
  const { all: tokenAuthenticator, issuers } = createBelievedTokens(
    world,
    createTokenChain([
      createTokenAuthenticator(tokens, { cache, clock, measures }),
      createSecretTokens({
        keys: options.tokenKeys,
        cache,
        clock,
        measures,
        audiences,
        noteUse: createUseNotes({ loopback, log: world.log }),
      }),
    ]),
    authentication,
  );
  const index = new RbacIndex(cache);
  const graph = new NodeGraph(cache);
  const own = { node: createNodeAuthorizer(graph, nodeRules(options)), rbac: createRbacAuthorizer(index) };
  const authorizer = new ReplaceableAuthorizer(createAuthorizers(world, own, options.authorization));
  const { anonymous = { enabled: true }, requestHeaders } = authentication;
  return {
    authenticate: createAuthentication({
      ...{ now: () => clock.now(), tokens: tokenAuthenticator, audiences, anonymous, requestHeaders },
      certificateSeen: (endsMs) => accessMeasures?.certificateLeft((endsMs - clock.now()) / 1000),
    }),
    authorizer,
    index,
    tokens,
    tokenAuthenticator,
    audiences,
    openid: openidDocuments(issuer, options),
    changes: {
      async believe(jwt, signal) {
        assert(issuers !== undefined, 'who follows a configuration of authentication named its issuers before');
        await issuers.replace(jwt, signal);
      },
      decideBy: (chosen) => authorizer.replace(createAuthorizers(world, own, chosen)),
    },
    close() {
      index.close();
      graph.close();
    },
  };
}

/** What lets others verify our tokens (OpenID Connect Discovery 1.0). */
function openidDocuments(issuer: string, options: PolicyOptions): AccessControl['openid'] {
  return {
    configuration: {
      issuer,
      jwks_uri: `${issuer}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: options.tokenKeys.algorithms ?? [options.tokenKeys.algorithm],
    },
    keys: { keys: options.tokenKeys.publicKeys },
  };
}
