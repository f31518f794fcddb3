import type { Strategy } from '../ports/strategy.ts';
import { JOB_STRATEGY } from './batch/jobs/strategy.ts';
import { NAMESPACE_STRATEGY } from './core/namespaces/strategy.ts';
import { NODE_STRATEGY } from './core/nodes/strategy.ts';
import { POD_STRATEGY } from './core/pods/strategy.ts';
import { SECRET_STRATEGY } from './core/secrets/strategy.ts';
import { SERVICE_STRATEGY } from './core/services/strategy.ts';

/** The kinds that need more than the generic registry, by `resource[.group]`. */
export const STRATEGIES: { readonly [resource: string]: Strategy } = {
  'jobs.batch': JOB_STRATEGY,
  namespaces: NAMESPACE_STRATEGY,
  nodes: NODE_STRATEGY,
  pods: POD_STRATEGY,
  secrets: SECRET_STRATEGY,
  services: SERVICE_STRATEGY,
};
