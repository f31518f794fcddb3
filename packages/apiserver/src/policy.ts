import { assert } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';
import { createAccess } from './access/access.ts';
import { followAggregation } from './access/rbac/role-aggregation-follower.ts';
import { createAdmission } from './admission/plugins.ts';
import { bootstrapCluster } from './bootstrap/bootstrap.ts';
import type { KindBehaviours } from './kinds/behaviour.ts';
import { createAllocations } from './kinds/core/services/allocation/allocations.ts';
import { accessBehaviours } from './kinds/access-kinds.ts';
import { isLoopback } from './kinds/core/services/allocation/address.ts';
import { holdIdentity } from './loops/identity-lease.ts';
import { publishEndpoints } from './loops/published-endpoints.ts';
import { repairAllocations } from './loops/allocation-repair.ts';
import type { GuaranteedUpdate } from './ports/guaranteed-update.ts';
import type { AccessMeasures } from './ports/access-measures.ts';
import { UNMEASURED } from './ports/measures.ts';
import type { AdmissionMeasures, AllocationMeasures, TokenMeasures } from './ports/measures.ts';
import type { AccessChanges, AccessControl, PolicyOptions } from './ports/policy.ts';
import type { FindKind, OwnCalls, ServerWorld } from './ports/world.ts';

/** What policy is made of, before anything is served. */
export interface PolicyWorld extends Pick<ServerWorld, 'cache' | 'store' | 'clock' | 'random' | 'log'> {
  /** Absent: nobody keeps score. */
  readonly measures?: AdmissionMeasures;
  readonly tokenMeasures?: TokenMeasures;
  readonly allocationMeasures?: AllocationMeasures;
  readonly accessMeasures?: AccessMeasures;
}

/** All of policy put together. */
export interface Policy extends AccessControl {
  /** The server is put together and can be called: says what policy does of kinds, before anything is served. */
  join(own: OwnCalls): JoinedPolicy;
}

/** A policy of which parts may become others. */
export interface ChangeablePolicy extends Policy {
  readonly changes: AccessChanges;
}

/** Policy at work. */
export interface JoinedPolicy {
  /** What kinds do by the choice of policy: allocation, tokens, reviews. */
  readonly behaviours: KindBehaviours;
  /** Writes what a cluster starts with, skipping what exists; call when requests are answered, before `/readyz` says yes. */
  bootstrap(server: { readonly addresses: readonly string[]; readonly port: number }): Promise<void>;
  /** Stops what goes on, and takes back what would mislead other servers. */
  close(): Promise<void>;
}

/** Puts authentication, authorisation, admission, allocation, tokens and reviews together. */
export function createPolicy(world: PolicyWorld, options: PolicyOptions): ChangeablePolicy {
  const { cache, clock, random, measures = UNMEASURED } = world;
  let joined: OwnCalls | undefined;
  const together = (): OwnCalls => {
    assert(joined !== undefined, 'admission calls the server when it is together');
    return joined;
  };
  const update: GuaranteedUpdate = (...what) => together().update(...what);
  const loopback: Pick<Wire, 'call'> = { call: (what) => together().loopback.call(what) };
  const findKind: FindKind = (kind) => together().findKind(kind);
  const access = createAccess({ ...world, loopback }, options);
  const { authenticate, authorizer, index, openid, changes } = access;
  return {
    authenticate,
    authorizer,
    admission: createAdmission({
      ...{ cache, clock, random, measures, index, authorizer, update, loopback, findKind },
      ...options,
    }),
    openid,
    changes,
    join(own) {
      joined = own;
      const whole = { ...world, ...own };
      const allocations = createAllocations(whole, options);
      const stops: (() => void | Promise<void>)[] = [() => access.close(), () => allocations.close()];
      return {
        behaviours: accessBehaviours({ world: whole, access, allocations }),
        async bootstrap({ addresses, port }) {
          const { clientCa, frontProxyCa: ownCa, authentication } = options;
          const others = authentication?.requestHeaders;
          const frontProxies = {
            ...(ownCa === undefined ? {} : { ownCa }),
            ...(others === undefined ? {} : { others }),
          };
          const ca = clientCa === undefined ? {} : { clientCa, frontProxies };
          await bootstrapCluster(whole, {
            serviceCidrs: allocations.serviceCidrs,
            port,
            features: { trustBundles: options.trustBundles ?? false },
            ...ca,
          });
          stops.push(followAggregation(whole));
          // Nothing but this host would reach a loopback address.
          const address = addresses.find((one) => !isLoopback(one));
          const repair = repairAllocations(world, allocations.ips, allocations.ports);
          const published = await Promise.all([
            ...(address === undefined ? [] : [publishEndpoints({ ...whole, address, port })]),
            ...(options.identity === undefined ? [] : [holdIdentity(whole, options.identity)]),
          ]);
          stops.push(...[repair, ...published].map((loop) => () => loop.stop()));
        },
        async close() {
          await Promise.all(stops.map(async (stop) => stop()));
        },
      };
    },
  };
}
