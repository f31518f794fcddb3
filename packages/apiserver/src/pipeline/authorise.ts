import type { AuthorizationDecision, Authorizer, RequestAttributes } from '../ports/authorization.ts';
import { denied } from '../access/denial.ts';
import type { AccessFigures } from '../observe/access-figures.ts';
import type { Exchange } from '../request/exchange.ts';

export interface AuthorisationWorld {
  readonly authorizer: Authorizer;
  readonly figures: Pick<AccessFigures, 'authorized'>;
  /** Seconds since some moment. */
  readonly now: () => number;
}

/** Asks whether the caller may. Throws 403 in upstream's words. */
export function authorise(world: AuthorisationWorld, exchange: Exchange): void | Promise<void> {
  const attributes = attributesOf(exchange);
  const first = demandCounted(world, attributes, exchange);
  if (!opensWebSocket(exchange)) return first;
  // A WebSocket begins with a GET, whatever is done on it: who may only read may not run commands.
  const create = { ...attributes, verb: 'create' };
  const second = (): void | Promise<void> => demandCounted(world, create, exchange);
  return first === undefined ? second() : first.then(second);
}

const RESULTS = { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' } as const;

/** Demands it, and counts the answer. */
function demandCounted(
  { authorizer, figures, now }: AuthorisationWorld,
  attributes: RequestAttributes,
  noted: Noted,
): void | Promise<void> {
  const since = now();
  let answer: AuthorizationDecision | Promise<AuthorizationDecision>;
  try {
    answer = authorizer.authorize(attributes);
  } catch (error) {
    figures.authorized('error', now() - since);
    throw error;
  }
  if (!(answer instanceof Promise)) {
    figures.authorized(RESULTS[answer.decision], now() - since);
    return refuseUnlessAllowed(attributes, answer, noted);
  }
  return answer.then(
    (decided) => {
      figures.authorized(RESULTS[decided.decision], now() - since);
      refuseUnlessAllowed(attributes, decided, noted);
    },
    (error: unknown) => {
      figures.authorized('error', now() - since);
      throw error;
    },
  );
}

/** Where the reason of a yes is noted. */
type Noted = Pick<Exchange, 'allowed' | 'audit' | 'annotations'>;

const PODS_STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);

function opensWebSocket({ info }: Exchange): boolean {
  if (info.resource !== 'pods' || info.group !== '' || !PODS_STREAMS.has(info.subresource)) return false;
  return info.verb === 'get';
}

function refuseUnlessAllowed(
  attributes: RequestAttributes,
  { decision, reason }: AuthorizationDecision,
  noted: Noted,
): void {
  if (noted.audit !== undefined) noteDecision(noted, decision === 'allow' ? 'allow' : 'forbid', reason);
  if (decision !== 'allow') throw denied(attributes, reason);
  noted.allowed = reason;
}

/** For the record. Of a request that is asked about twice, the last answer counts. */
function noteDecision(noted: Noted, decision: 'allow' | 'forbid', reason: string): void {
  noted.annotations ??= new Map<string, string>();
  noted.annotations.set('authorization.k8s.io/decision', decision);
  noted.annotations.set('authorization.k8s.io/reason', reason);
}

/** Verbs on which a selector narrows what is reached; the old path of a watch may be of one object, which none narrows. */
const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** What a request asks for, in its caller's name. */
export function attributesOf({ info, request, user }: Pick<Exchange, 'info' | 'request' | 'user'>): RequestAttributes {
  const selects = SELECTING.has(info.verb) && !info.legacyWatch;
  const fieldSelector = selects ? request.query.get('fieldSelector') : '';
  const labelSelector = selects ? request.query.get('labelSelector') : '';
  const asked: RequestAttributes = {
    user,
    verb: info.verb,
    isResource: info.isResource,
    path: info.path,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  };
  if (fieldSelector === '' && labelSelector === '' && request.signal === undefined) return asked;
  return {
    ...asked,
    ...(fieldSelector === '' ? {} : { fieldSelector }),
    ...(labelSelector === '' ? {} : { labelSelector }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
}
