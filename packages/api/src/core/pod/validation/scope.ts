import type { Container, EphemeralContainer, PodSpec, Volume } from '../../../generated/core-v1.ts';
import type { Report } from '../../../validation/report.ts';

/** What the validators of the parts of one pod spec share. */
export interface PodScope {
  readonly report: Report;
  readonly spec: PodSpec;
  /** The volumes that are right, by name: mounts must name one of them. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** A pod itself, not the template of one. */
  readonly isPod: boolean;
}

export type AnyContainer = Container | EphemeralContainer;

/** Does the pod run in the host's user namespace? */
export function usesHostUsers(spec: PodSpec): boolean {
  return spec.hostUsers !== false;
}
