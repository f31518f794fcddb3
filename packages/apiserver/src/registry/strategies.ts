import type { Strategy } from '../ports.ts';
import { JOB_STRATEGY } from './jobs/strategy.ts';
import { NAMESPACE_STRATEGY } from './namespaces/strategy.ts';
import { NODE_STRATEGY } from './nodes/strategy.ts';
import { POD_STRATEGY } from './pods/strategy.ts';
import { SECRET_STRATEGY } from './secrets/strategy.ts';
import { SERVICE_STRATEGY } from './services/strategy.ts';

/** The kinds that need more than the generic registry, by `resource[.group]`. */
export const STRATEGIES: { readonly [resource: string]: Strategy } = {
  'jobs.batch': JOB_STRATEGY,
  namespaces: NAMESPACE_STRATEGY,
  nodes: NODE_STRATEGY,
  pods: POD_STRATEGY,
  secrets: SECRET_STRATEGY,
  services: SERVICE_STRATEGY,
};
