import { DEFAULT_FEATURES } from '@binnacle/api';
import type { Features } from '@binnacle/api';
import type { ApiServer } from '@binnacle/apiserver';
import type { Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { startControllers } from '@binnacle/controllers';
import type { ControllersOptions, LoadBalancerOptions, RunningControllers } from '@binnacle/controllers';
import type { UserInfo } from '@binnacle/machinery';
import { startScheduler } from '@binnacle/scheduler';
import type { SchedulerHandle, SchedulerOptions } from '@binnacle/scheduler';
import { controllerIdentity, SCHEDULER } from './identities.ts';
import type { World } from './world.ts';

/** What the components of a control plane need of its API server. */
export interface ApiAccess {
  clientAs(user: UserInfo): Client;
  /** PEM of the cluster's authority, for the ConfigMap that every namespace has. */
  readonly rootCA: string;
  /** Signs certificates that were approved; absent: nobody does. */
  readonly signRequest?: ControllersOptions['signRequest'];
  /** Whose figures tell what the controllers and the scheduler do. */
  readonly server: Pick<ApiServer, 'devices' | 'figures' | 'rollouts' | 'schedulers'>;
  /** Signs tokens that secrets keep; absent: nobody does. */
  readonly signToken?: ControllersOptions['signToken'];
}

/** How long components live, and what they do otherwise than by default. */
export interface ComponentOptions {
  readonly scope: Scope;
  /** Where addresses of load balancers come from. Absent: from somebody else, or nowhere. */
  readonly loadBalancers?: LoadBalancerOptions;
  /** Out of what nodes are given their pods' networks. Absent: by somebody else. */
  readonly nodeCidrs?: NonNullable<ControllersOptions['nodeCidrs']>;
  /** Feature gates that people switch. Absent: as upstream has them by default. */
  readonly features?: Features;
  /** Which controllers run (`*`, `NAME`, `-NAME`). Absent: all that do by default. */
  readonly controllers?: readonly string[];
  readonly scheduler?: Omit<SchedulerOptions, 'client' | 'devices' | 'measures' | 'scope' | 'world'>;
}

/** Starts the controllers and the scheduler beside a control plane, each under its own identity. */
export function startComponents(
  access: ApiAccess,
  world: World,
  options: ComponentOptions,
): { readonly controllers: RunningControllers; readonly scheduler: SchedulerHandle } {
  const { scope, loadBalancers, nodeCidrs, features = DEFAULT_FEATURES, controllers: which } = options;
  const controllers = startControllers({
    clientAs: (name) => access.clientAs(controllerIdentity(name)),
    world: { ...world, log: world.log.named('controllers') },
    scope: scope.child('controllers'),
    rootCA: access.rootCA,
    features,
    rollouts: access.server.rollouts,
    figures: access.server.figures,
    ...(loadBalancers === undefined ? {} : { loadBalancers }),
    ...(nodeCidrs === undefined ? {} : { nodeCidrs }),
    ...(which === undefined ? {} : { which }),
    ...(access.signRequest === undefined ? {} : { signRequest: access.signRequest }),
    ...(access.signToken === undefined ? {} : { signToken: access.signToken }),
  });
  const scheduler = startScheduler({
    ...options.scheduler,
    devices: access.server.devices,
    measures: access.server.schedulers,
    client: access.clientAs(SCHEDULER),
    world: { ...world, log: world.log.named('scheduler') },
    scope: scope.child('scheduler'),
  });
  return { controllers, scheduler };
}
