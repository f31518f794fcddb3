import { createAdmission } from './admission/plugins.ts';
import { createAccess } from './access/access.ts';
import { followAggregation } from './access/rbac/role-aggregation-follower.ts';
import { bootstrapCluster } from './bootstrap/bootstrap.ts';
import { createAllocations } from './kinds/core/services/allocation/allocations.ts';
import type { Policy, PolicyOptions, PolicyWorld } from './ports/policy.ts';
import { PRINTERS } from './kinds/columns/printers.ts';
import { createVirtualHandlers } from './kinds/handlers.ts';

/** Puts authentication, authorisation, admission, allocation, virtual resources and printers together. */
export function createPolicy(world: PolicyWorld, options: PolicyOptions): Policy {
  const { cache, clock, random } = world;
  const access = createAccess(world, options);
  const { authorizer, index } = access;
  const allocations = createAllocations(world, options);
  const stops = [(): void => access.close(), (): void => allocations.close()];
  return {
    authenticate: access.authenticate,
    authorizer,
    admission: createAdmission({ cache, clock, random, index, authorizer }),
    virtual: createVirtualHandlers({ world, ...access }),
    printers: PRINTERS,
    allocations: allocations.strategies,
    async bootstrap({ addresses, port }) {
      const ca = options.clientCa === undefined ? {} : { clientCa: options.clientCa };
      await bootstrapCluster(world, { serviceCidrs: allocations.serviceCidrs, addresses, port, ...ca });
      stops.push(followAggregation(world), allocations.repair());
    },
    openid: access.openid,
    close: () => stops.forEach((stop) => stop()),
  };
}
