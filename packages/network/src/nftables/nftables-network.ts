import type { Family, NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { keptAffinities } from './affinities.ts';
import { Batches } from './batches.ts';
import type { BatchOptions } from './batches.ts';
import { hasRules } from './has-rules.ts';
import { NAMES } from './names.ts';
import { PROTOCOLS, renderTable, tableName } from './render-table.ts';
import type { EndpointCounts, TableRef } from './render-table.ts';
import { FlowForgetter } from '../machine/forget-flows.ts';
import { staleFlows, staleFlowsOfAll } from '../machine/stale-flows.ts';
import { TableContent } from './table-content.ts';

/** What the driver works with. */
export interface NftablesOptions extends BatchOptions {
  /** Of our tables, one per family: nobody else's on this machine. */
  readonly table: string;
  readonly families: readonly Family[];
  /** Runs what changes thousands of elements at once while nobody of ours listens to changes. Absent: as it is. */
  readonly quietly?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Room in a map of endpoints, some times what is there and this at the least; beyond it the table is made anew. */
const ENDPOINTS_MIN = 4096;

interface KeptTable {
  readonly content: TableContent;
  readonly endpointsMax: EndpointCounts;
}

/** Services by nftables: a table per family, verdict maps, one batch per change. */
export class NftablesNetwork implements ServiceNetwork {
  readonly #options: NftablesOptions;
  readonly #tables: readonly TableRef[];
  readonly #batches: Batches;
  readonly #flows: FlowForgetter;
  #contents = new Map<Family, KeptTable>();
  #node: NodeRules | undefined;
  #services = new Map<string, ServiceRules>();

  constructor(options: NftablesOptions) {
    this.#options = options;
    this.#batches = new Batches(options);
    this.#flows = new FlowForgetter(options.run, options.log);
    this.#tables = options.families.map((family) => ({ family, name: options.table }));
  }

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    const contents = new Map<Family, KeptTable>();
    const lines: string[] = [];
    for (const table of this.#tables) {
      const content = new TableContent(table, node);
      const mine = [...services].filter(([, { family }]) => family === table.family);
      const made = content.change(mine).lines;
      const endpointsMax = roomFor(content.endpoints);
      contents.set(table.family, { content, endpointsMax });
      lines.push(...renderTable(table, node, endpointsMax));
      for (const line of made) lines.push(line);
      lines.push(...(await this.#affinities(table, made)));
    }
    const { quietly = (work) => work() } = this.#options;
    await quietly(() => this.#batches.replace(lines));
    this.#contents = contents;
    this.#node = node;
    const flows = staleFlowsOfAll(this.#services, services);
    this.#services = new Map(services);
    await this.#flows.begin(
      this.#tables.map(({ family }) => family),
      { node, services },
    );
    await this.#flows.forget(flows);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    const lines: string[] = [];
    const stale: string[] = [];
    let isFull = false;
    for (const [family, { content, endpointsMax }] of this.#contents) {
      const mine = [...changes].filter(([id, rules]) => (rules ?? this.#services.get(id))?.family === family);
      const before = content.endpoints;
      const batch = content.change(mine);
      // Within a batch what goes is there still when what comes is put in.
      isFull ||= PROTOCOLS.some((one) => before[one] + content.endpoints[one] > endpointsMax[one]);
      for (const line of batch.lines) lines.push(line);
      stale.push(...batch.stale);
    }
    const flows = [...changes].flatMap(([id, rules]) => staleFlows(this.#services.get(id), rules));
    const services = isFull ? new Map(this.#services) : this.#services;
    if (!isFull) await this.#batches.change({ lines, stale });
    for (const [id, rules] of changes) {
      if (rules === undefined) services.delete(id);
      else services.set(id, rules);
    }
    if (!isFull) await this.#flows.forget(flows);
    else if (this.#node !== undefined) await this.replace(this.#node, services);
  }

  async remove(): Promise<void> {
    await this.#batches.replace(
      this.#tables.flatMap((table) => [`add table ${tableName(table)}`, `delete table ${tableName(table)}`]),
    );
    this.#contents = new Map();
    this.#services = new Map();
  }

  async isThere(): Promise<boolean> {
    for (const table of this.#tables) {
      const chain = { table: tableName(table), name: NAMES.services, maps: [NAMES.serviceIPs, NAMES.nodePorts] };
      if (!(await hasRules(this.#options.run, chain))) return false;
    }
    return true;
  }

  async #affinities(table: TableRef, made: readonly string[]): Promise<string[]> {
    const prefix = `add set ${tableName(table)} `;
    const sets = new Set(made.filter((line) => line.startsWith(prefix)).map((line) => line.split(' ')[4] ?? ''));
    if (sets.size === 0) return [];
    const listing = await this.#options.run(['nft', '-j', 'list', 'sets']);
    return keptAffinities(listing, tableName(table), (set) => sets.has(set));
  }
}

function roomFor({ tcp, udp, sctp }: EndpointCounts): EndpointCounts {
  const room = (endpoints: number): number => Math.max(ENDPOINTS_MIN, 2 ** Math.ceil(Math.log2(endpoints * 3 + 1)));
  return { tcp: room(tcp), udp: room(udp), sctp: room(sctp) };
}
