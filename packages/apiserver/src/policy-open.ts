import type { Policy } from './ports/policy.ts';

const EVERYBODY = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] };

/** No policy at all: everybody is the administrator and may do everything. For tests and single-user programs. */
export function createOpenPolicy(): Policy {
  return {
    authenticate: () => EVERYBODY,
    authorizer: { authorize: () => ({ decision: 'allow', reason: 'no policy' }) },
    admission: [],
    virtual: new Map(),
    printers: new Map(),
    allocations: new Map(),
    bootstrap: () => Promise.resolve(),
    openid: { configuration: {}, keys: { keys: [] } },
    close: () => undefined,
  };
}
