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
}

function refuseBroken(broken: ReturnType<RunningControllers['broken']>): void {
  if (broken.length === 0) return;
  const what = broken.map(({ name, reason }) => `${name} stands still: ${reason}`).join('; ');
  throw new ClusterError('controller-broken', what);
}
