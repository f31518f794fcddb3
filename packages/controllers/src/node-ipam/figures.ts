import { exponentialBounds } from '@binnacle/base';
import type { FigureMeasures } from '@binnacle/base';

/** Keeps score of the parts of one network. */
export interface PoolMeter {
  /** A part is taken now; so many are. */
  taken(used: number): void;
  /** A part is free again. */
  freed(used: number): void;
  /** So many parts were looked at in vain before one was found. */
  sought(tries: number): void;
}

const LABELS = ['clusterCIDR'];

/** What the allocator of nodes' networks tells (pkg/controller/nodeipam/ipam/cidrset); `cirdset` is upstream's own spelling. */
export function poolFigures(figures: FigureMeasures): (cidr: string, size: number) => PoolMeter {
  const named = (name: string, help: string) => ({ name: `node_ipam_controller_${name}`, help, labels: LABELS });
  const taken = figures.counter(named('cidrset_cidrs_allocations_total', 'Networks that were taken.'));
  const freed = figures.counter(named('cidrset_cidrs_releases_total', 'Networks that were given back.'));
  const most = figures.gauge(named('cirdset_max_cidrs', 'Networks that there are.'));
  const usage = figures.gauge(named('cidrset_usage_cidrs', 'Which part of them is taken.'));
  const tries = named(
    'cidrset_allocation_tries_per_request',
    'Networks looked at in vain before a free one was found.',
  );
  const sought = figures.spread(tries, exponentialBounds(1, 5, 5));
  return (cidr, size) => {
    const values = [cidr];
    most.set(values, size);
    return {
      taken: (used) => {
        taken.add(values);
        usage.set(values, used / size);
      },
      freed: (used) => {
        freed.add(values);
        usage.set(values, used / size);
      },
      sought: (count) => sought.observe(values, count),
    };
  };
}
