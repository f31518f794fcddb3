import type { CertificateSigningRequestSpec } from '@binnacle/api/certificates/v1';
import type { UserInfo } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** Who asks is who calls, whatever the request says; what was asked for stays. */
export const SIGNING_REQUEST_STRATEGY: Strategy = {
  prepareForCreate(object, caller) {
    const draft = asDraft(object);
    draft.spec = { ...(draft.spec as CertificateSigningRequestSpec), ...requester(caller) };
    draft.status = {};
  },
  prepareForUpdate(object, before) {
    asDraft(object).spec = asDraft(before).spec;
  },
};

type Requester = {
  readonly [K in 'username' | 'uid' | 'groups' | 'extra']: CertificateSigningRequestSpec[K] | undefined;
};

function requester({ name, uid, groups, extra }: UserInfo): Requester {
  return {
    username: name,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: extra === undefined || Object.keys(extra).length === 0 ? undefined : extra,
  };
}
