import type { Policy } from './policy.ts';

const EVERYBODY = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] };

/** No policy at all: everybody is the administrator and may do everything. For tests and single-user programs. */
export function createOpenPolicy(): Policy {
  return {
    authenticate: () => EVERYBODY,
    authorizer: { authorize: () => ({ decision: 'allow', reason: 'no policy' }) },
    admission: [],
    openid: { configuration: {}, keys: { keys: [] } },
    join: () => ({ behaviours: {}, bootstrap: () => Promise.resolve(), close: () => Promise.resolve() }),
  };
}
