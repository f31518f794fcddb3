import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { BoundObjectReference, TokenRequest } from '@binnacle/api/authentication/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { formatTime } from '@binnacle/base';
import { FieldError, parseGroupVersion, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AccountTokens, BoundClaims, ObjectIdentity } from '../../../access/account-tokens.ts';
import type { Responder, ResponderRequest } from '../../../ports/responder.ts';
import type { ServerWorld } from '../../../ports/world.ts';
import type { CacheReader } from '../../../ports/reader.ts';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3600;
/** What the ServiceAccount admission asks for: such tokens live on for programs that never read them again. */
const EXTENDED_REQUEST_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 86_400;

/** `serviceaccounts/token`: a new token, bound to the account and, when asked, to a pod, a secret or a node. */
export function createTokenRequestHandler(
  { cache, clock }: Pick<ServerWorld, 'cache' | 'clock'>,
  tokens: AccountTokens,
): Responder {
  return {
    async handle(request) {
      const asked = request.body as TokenRequest;
      checkAccount(request, asked);
      const seconds = asked.spec.expirationSeconds ?? DEFAULT_SECONDS;
      checkSeconds(seconds, request.name);
      const { namespace, name } = request;
      const account = await find(cache, SERVICE_ACCOUNTS, { namespace, name });
      const bound = await findBound(cache, request, asked.spec.boundObjectRef ?? undefined);
      // Absent lists and pointers of this kind are null in normal form, as Go writes them.
      const wanted: readonly string[] | null = asked.spec.audiences;
      const audiences = wanted === null || wanted.length === 0 ? [tokens.issuer] : wanted;
      const isExtended =
        seconds === EXTENDED_REQUEST_SECONDS && bound.pod !== undefined && audiences.includes(tokens.issuer);
      const now = Math.floor(clock.now() / 1000);
      const claims: BoundClaims = {
        namespace,
        ...bound,
        serviceaccount: identityOf(account),
        ...(isExtended ? { warnafter: now + seconds } : {}),
      };
      const { token } = await tokens.issue(claims, audiences, isExtended ? EXTENDED_SECONDS : seconds);
      return {
        ...asked,
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { ...asked.metadata, name, namespace, creationTimestamp: formatTime(clock.now()) },
        spec: { ...asked.spec, audiences, expirationSeconds: seconds },
        status: { token, expirationTimestamp: formatTime((now + seconds) * 1000) },
      };
    },
  };
}

/** Who names an account names that of the URL. Throws 422. */
function checkAccount(request: ResponderRequest, { metadata }: TokenRequest): void {
  const name = metadata?.name ?? '';
  if (name !== '' && name !== request.name) {
    const why = 'must match the service account name if specified';
    const error = new FieldError('FieldValueInvalid', 'metadata.name', name, why);
    throw status.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, request.name, [error]);
  }
}

function checkSeconds(seconds: number, name: string): void {
  const problem =
    seconds < MIN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > MAX_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (problem === undefined) return;
  const error = new FieldError('FieldValueInvalid', 'spec.expirationSeconds', seconds, problem);
  throw status.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [error]);
}

type Bound = Pick<BoundClaims, 'pod' | 'secret' | 'node'>;

async function findBound(
  cache: CacheReader,
  request: ResponderRequest,
  ref: BoundObjectReference | null | undefined,
): Promise<Bound> {
  // A pointer that is always written out: null where the caller gave none.
  if (ref === undefined || ref === null) return {};
  const { group, version } = parseGroupVersion(ref.apiVersion ?? '');
  const name = ref.name ?? '';
  const { namespace } = request;
  switch (group === '' ? ref.kind : '') {
    case 'Pod': {
      const pod = (await find(cache, PODS, { namespace, name })) as Pod;
      if (pod.spec.serviceAccountName !== request.name) {
        throw status.badRequest(
          `cannot bind token for serviceaccount "${request.name}" to pod running with different serviceaccount name.`,
        );
      }
      const node = cache.get(NODES, '', pod.spec.nodeName ?? '');
      return { pod: checked(pod, ref), ...(node === undefined ? {} : { node: identityOf(node) }) };
    }
    case 'Secret':
      return { secret: checked(await find(cache, SECRETS, { namespace, name }), ref) };
    case 'Node':
      return { node: checked(await find(cache, NODES, { namespace: '', name }), ref) };
    default:
      throw status.badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${ref.kind ?? ''}`);
  }
}

async function find(
  cache: CacheReader,
  ref: ResourceRef<KubeObject>,
  { namespace, name }: { namespace: string; name: string },
): Promise<KubeObject> {
  const found = cache.get(ref, namespace, name) ?? (await cache.getLive(ref, namespace, name));
  if (found === undefined) throw status.notFound(ref, name);
  return found;
}

function identityOf({ metadata }: KubeObject): ObjectIdentity {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function checked(object: KubeObject, ref: BoundObjectReference): ObjectIdentity {
  const identity = identityOf(object);
  if ((ref.uid ?? '') === '' || ref.uid === identity.uid) return identity;
  throw status.conflict(
    { group: '', resource: ref.kind ?? '' },
    identity.name,
    `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
}
