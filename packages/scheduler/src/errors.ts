import { CatalogueError } from '@binnacle/base';
import type { Refusal } from './plan/framework.ts';

/** A plugin held the pod back after a node was chosen. */
export class HeldBackError extends CatalogueError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('held-back', refusal.reasons.join(', '), { facts: { plugin: refusal.plugin } });
    this.refusal = refusal;
  }
}

/** No plugin of the profile binds pods. */
export class NoBinderError extends CatalogueError {
  constructor(schedulerName: string) {
    super('no-binder', `no plugin of profile ${schedulerName} bound the pod`, { facts: { schedulerName } });
  }
}

/** A scheduler cannot be set up as it was asked to be. */
export class SchedulerConfigError extends CatalogueError {
  constructor(message: string) {
    super('scheduler-config', message);
  }
}

/** An extender did not answer, or not in a way that can be used. */
export class ExtenderError extends CatalogueError {
  constructor(extender: string, message: string, cause?: unknown) {
    super('extender', `extender ${extender}: ${message}`, { facts: { extender }, cause });
  }
}

/** The volumes of a pod did not come to be bound. */
export class VolumeBindingError extends CatalogueError {
  constructor(pod: string, message: string) {
    super('volume-binding', `binding volumes: ${message}`, { facts: { pod } });
  }
}
