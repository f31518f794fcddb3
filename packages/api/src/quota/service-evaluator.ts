import { quantityOf } from '@binnacle/machinery';
import type { Service } from '../generated/core-v1.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const COUNTED = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);

/** How Services count: by number, by the node ports they will get, and by the load balancers. */
export const SERVICE_EVALUATOR: QuotaEvaluator = {
  counts: (name) => COUNTED.has(name),
  usage(object) {
    const service = object as Service;
    return new Map([
      ['count/services', quantityOf(1)],
      ['services', quantityOf(1)],
      ['services.loadbalancers', quantityOf(service.spec?.type === 'LoadBalancer' ? 1 : 0)],
      ['services.nodeports', quantityOf(nodePortsOf(service))],
    ]);
  },
};

/** By what is asked for: ports are handed out later. */
function nodePortsOf({ spec }: Service): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}
