import type { HealthCheck } from '@binnacle/apiserver';
import type { RunningControllers } from '@binnacle/controllers';
import { ClusterError } from './errors.ts';

/**
 * What the API server of a process shows of the components beside it: a controller that tripped over a mistake of its
 * own stands still, and `/livez` and `/healthz` say so until somebody restarts the process.
 */
export class ComponentHealth {
  #controllers: Pick<RunningControllers, 'broken'> | undefined;

  /** From now on they are looked at. */
  watch(controllers: Pick<RunningControllers, 'broken'>): void {
    this.#controllers = controllers;
  }

  readonly checks = (): readonly HealthCheck[] => {
    const controllers = this.#controllers;
    return controllers === undefined ? [] : [{ name: 'controllers', check: () => refuseBroken(controllers.broken()) }];
  };

  /** What `componentstatuses` shows; a scheduler that trips over a mistake of its own ends the process. */
  readonly components = (): readonly HealthCheck[] => {
    const controllers = this.#controllers;
    if (controllers === undefined) return COMPONENTS.map((name) => ({ name, check: refuseMissing }));
    return COMPONENTS.map((name) => ({
      name,
      check: () => (name === 'scheduler' ? undefined : refuseBroken(controllers.broken())),
    }));
  };
}

const COMPONENTS = ['controller-manager', 'scheduler'] as const;

/** Before they run. */
function refuseMissing(): void {
  throw new ClusterError('component-not-started', 'it has not started yet');
}

function refuseBroken(broken: ReturnType<RunningControllers['broken']>): void {
  if (broken.length === 0) return;
  const what = broken.map(({ name, reason }) => `${name} stands still: ${reason}`).join('; ');
  throw new ClusterError('controller-broken', what);
}
