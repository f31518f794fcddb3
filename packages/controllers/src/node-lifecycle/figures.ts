import { exponentialBounds } from '@binnacle/base';
import type { CountFigure, FigureMeasures, SpreadFigure } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import { zoneOf } from './node-book.ts';
import type { ZoneCount } from './node-book.ts';

const ZONE = ['zone'];

/** What the controller of nodes' lives tells of zones and of itself (pkg/controller/nodelifecycle, `node_collector_`). */
export class NodeFigures {
  readonly #evictions: CountFigure;
  readonly #seconds: SpreadFigure;

  constructor(figures: FigureMeasures) {
    const evictions = { name: 'node_collector_evictions_total', help: 'Nodes that were given up.', labels: ZONE };
    this.#evictions = figures.counter(evictions);
    const name = 'node_collector_update_node_health_duration_seconds';
    this.#seconds = figures.spread({ name, help: 'How long a look at a node took.' }, exponentialBounds(0.001, 4, 8));
  }

  /** There are nodes of its zone: none of them was given up yet, or some were. */
  known(node: Node): void {
    this.#evictions.add([zoneLabel(zoneOf(node))], 0);
  }

  evicted(node: Node): void {
    this.#evictions.add([zoneLabel(zoneOf(node))]);
  }

  looked(seconds: number): void {
    this.#seconds.observe([], seconds);
  }
}

/** Shows zones as they are whenever somebody asks; one that is gone is empty and well, as upstream. Answers how to end that. */
export function showZones(figures: FigureMeasures, zones: () => Iterable<readonly [string, ZoneCount]>): () => void {
  const gauge = (name: string, help: string) => figures.gauge({ name: `node_collector_${name}`, help, labels: ZONE });
  const size = gauge('zone_size', 'Nodes of a zone.');
  const health = gauge('zone_health', 'How many percent of the nodes of a zone are ready.');
  const unhealthy = gauge('unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.');
  let told = new Set<string>();
  return figures.beforeShown(() => {
    const now = new Set<string>();
    const tell = (zone: string, { members, lost }: ZoneCount): void => {
      const values = [zoneLabel(zone)];
      size.set(values, members);
      health.set(values, members === 0 ? 100 : (100 * (members - lost)) / members);
      unhealthy.set(values, lost);
    };
    for (const [zone, count] of zones()) {
      now.add(zone);
      tell(zone, count);
    }
    for (const zone of told) if (!now.has(zone)) tell(zone, { members: 0, lost: 0 });
    told = now;
  });
}

/** `region:zone` as upstream writes it: with a NUL between two colons; empty where a node says neither. */
export function zoneLabel(zone: string): string {
  return zone === ':' ? '' : zone.replace(':', ':\u0000:');
}
