import type { Scope } from '@binnacle/base';
import { startControllers } from '@binnacle/controllers';
import { startScheduler } from '@binnacle/scheduler';
import type { SchedulerHandle } from '@binnacle/scheduler';
import type { ControlPlane, World } from './control-plane.ts';
import { controllerIdentity, SCHEDULER } from './identities.ts';

/** Starts the controllers and the scheduler beside a control plane, each under its own identity. */
export function startComponents(
  plane: ControlPlane,
  world: World,
  scope: Scope,
): { readonly scheduler: SchedulerHandle } {
  startControllers({
    clientAs: (name) => plane.clientAs(controllerIdentity(name)),
    world: { ...world, log: world.log.named('controllers') },
    scope: scope.child('controllers'),
    rootCA: plane.certificates.ca,
  });
  const scheduler = startScheduler({
    client: plane.clientAs(SCHEDULER),
    world: { ...world, log: world.log.named('scheduler') },
    scope: scope.child('scheduler'),
  });
  return { scheduler };
}
