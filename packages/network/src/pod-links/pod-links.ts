import { createHash } from 'node:crypto';
import { addressText, ipRange, networkBytes } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import { tunnelAddress, WRAPPING } from '../pod-routes.ts';
import { linesText } from '../machine/run-tool.ts';
import type { RunTool } from '../machine/run-tool.ts';
import type { NodePlace, PodNetwork, PodNetworkMode, PodRoute } from '../pod-routes.ts';

/** What the driver works with. */
export interface PodLinksOptions {
  /** Of the tunnel's link, which has an `x` after it: nobody else's on this machine, at most 14 letters. */
  readonly name: string;
  readonly mode: PodNetworkMode;
  readonly run: RunTool;
}

/** Who made a route, as `ip route` tells it: none of the numbers that are somebody's. */
const PROTOCOL = 98;
/** Linux' own port of VXLAN, which flannel has too, and its network. */
const VXLAN_PORT = 8472;
const VXLAN_ID = 1;

/** What of a tunnel `ip -j` tells. */
interface ListedTunnel {
  readonly ifname?: string;
  readonly linkinfo?: { readonly info_data?: { readonly id?: number; readonly port?: number } };
  readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number }[];
}

/** Ways to the pods of other nodes: routes, with a tunnel of VXLAN where nodes are no neighbours. */
export class PodLinks implements PodNetwork {
  readonly #options: PodLinksOptions;
  readonly #tunnel: string;
  /** Tells our routes from those of another cluster on this machine. */
  readonly #metric: number;

  constructor(options: PodLinksOptions) {
    this.#options = options;
    this.#tunnel = `${options.name}x`;
    this.#metric = 1_000_000 + createHash('sha256').update(options.name).digest().readUIntBE(0, 3);
  }

  /** Throws NetworkError of the ways that the machine did not take; the others hold. */
  async keep(self: NodePlace, routes: readonly PodRoute[]): Promise<void> {
    const isWrapped = this.#options.mode === 'vxlan';
    if (isWrapped) await this.#keepTunnel(self);
    const wanted = new Map(routes.map((route) => [route.range, this.#routeOf(route)]));
    const lines: string[] = [];
    for (const range of await this.#rangesThere()) if (!wanted.has(range)) lines.push(this.#deletion(range));
    if (isWrapped) {
      const ends = new Map(
        routes.map(({ tunnelEnd, node }) => [tunnelEnd, `${tunnelEnd} lladdr ${hardwareAddress(node)}`]),
      );
      for (const end of await this.#neighboursThere())
        if (!ends.has(end)) lines.push(`neigh del ${end} dev ${this.#tunnel}`);
      for (const end of ends.values()) lines.push(`neigh replace ${end} dev ${this.#tunnel} nud permanent`);
      await this.#keepForwarding(routes);
    }
    for (const route of wanted.values()) lines.push(route);
    await this.#batch('ip', lines);
  }

  async remove(): Promise<void> {
    await this.#batch(
      'ip',
      (await this.#rangesThere()).map((range) => this.#deletion(range)),
    );
    if (await this.#hasTunnel()) await this.#options.run(['ip', 'link', 'del', this.#tunnel]);
  }

  #routeOf({ range, node, tunnelEnd }: PodRoute): string {
    const way = this.#options.mode === 'vxlan' ? `${tunnelEnd} dev ${this.#tunnel} onlink` : node;
    return `route replace ${range} via ${way} proto ${PROTOCOL} metric ${this.#metric}`;
  }

  #deletion(range: string): string {
    return `route del ${range} proto ${PROTOCOL} metric ${this.#metric}`;
  }

  async #rangesThere(): Promise<string[]> {
    const found: string[] = [];
    for (const family of ['-4', '-6']) {
      const said = await this.#options.run(['ip', '-j', family, 'route', 'show', 'proto', `${PROTOCOL}`]);
      const routes = JSON.parse(said || '[]') as readonly { readonly dst?: string; readonly metric?: number }[];
      // A range of one address is told without its length.
      for (const { dst = '', metric } of routes)
        if (metric === this.#metric) found.push(dst.includes('/') ? dst : `${dst}/${dst.includes(':') ? 128 : 32}`);
    }
    return found;
  }

  async #neighboursThere(): Promise<string[]> {
    const said = await this.#options.run(['ip', '-j', 'neigh', 'show', 'dev', this.#tunnel, 'nud', 'permanent']);
    return (JSON.parse(said || '[]') as readonly { readonly dst?: string }[]).flatMap(({ dst }) => dst ?? []);
  }

  /** To which node a packet for a tunnel's end goes. */
  async #keepForwarding(routes: readonly PodRoute[]): Promise<void> {
    const wanted = new Map(routes.map(({ node }) => [hardwareAddress(node), node]));
    const said = await this.#options.run(['bridge', '-j', 'fdb', 'show', 'dev', this.#tunnel]);
    const there = JSON.parse(said || '[]') as readonly { readonly mac?: string; readonly dst?: string }[];
    const lines = there.flatMap(({ mac = '', dst = '' }) =>
      wanted.has(mac) ? [] : [`fdb del ${mac} dev ${this.#tunnel}${dst === '' ? '' : ` dst ${dst}`}`],
    );
    for (const [mac, node] of wanted) lines.push(`fdb replace ${mac} dev ${this.#tunnel} dst ${node} self permanent`);
    await this.#batch('bridge', lines);
  }

  /** Its address is the first of the node's pod range: what the node itself says to pods is answered by the same way. */
  async #keepTunnel(self: NodePlace): Promise<void> {
    const { run } = this.#options;
    const address = tunnelAddress(self) ?? '';
    const { link, mtu } = await this.#underlay(address);
    if ((await this.#hasTunnel()) && !(await this.#isTunnelOf(address))) await run(['ip', 'link', 'del', this.#tunnel]);
    if (!(await this.#hasTunnel())) await this.#makeTunnel(address, link);
    const room = mtu - (address.includes(':') ? WRAPPING.six : WRAPPING.four);
    await run(['ip', 'link', 'set', this.#tunnel, 'mtu', `${room}`, 'up']);
    const wanted = self.podRanges.flatMap((text) => {
      const range = ipRange(text);
      return range === undefined ? [] : [`${addressText(networkBytes(range))}/${range.bytes.length * 8}`];
    });
    for (const old of await this.#addressesThere())
      if (!wanted.includes(old)) await run(['ip', 'addr', 'del', old, 'dev', this.#tunnel]);
    for (const one of wanted) await run(['ip', 'addr', 'replace', one, 'dev', this.#tunnel]);
  }

  async #makeTunnel(address: string, link: string): Promise<void> {
    const { run } = this.#options;
    const vxlan = ['type', 'vxlan', 'id', `${VXLAN_ID}`, 'dstport', `${VXLAN_PORT}`, 'nolearning'];
    const from = ['local', address, 'dev', link];
    try {
      await run(['ip', 'link', 'add', this.#tunnel, 'address', hardwareAddress(address), ...vxlan, ...from]);
    } catch (error) {
      const [other] = await this.#tunnelsOfOthers();
      if (!(error instanceof NetworkError) || other === undefined) throw error;
      const whose = `${other} of this machine is VXLAN network ${VXLAN_ID} at UDP port ${VXLAN_PORT} already`;
      const advice = 'end the cluster that it is of (flannel, or another of ours), or use --pod-network=host-gw';
      throw new NetworkError(`${whose}: ${advice}`, error);
    }
  }

  /** Links that leave no room for ours beside them. */
  async #tunnelsOfOthers(): Promise<string[]> {
    const said = await this.#options.run(['ip', '-j', '-d', 'link', 'show', 'type', 'vxlan']);
    return (JSON.parse(said || '[]') as readonly ListedTunnel[]).flatMap(({ ifname = '', linkinfo }) => {
      const { id, port } = linkinfo?.info_data ?? {};
      return id === VXLAN_ID && port === VXLAN_PORT && ifname !== this.#tunnel ? [ifname] : [];
    });
  }

  /** With their lengths; those that the kernel gave are not among them. */
  async #addressesThere(): Promise<string[]> {
    const said = await this.#options.run(['ip', '-j', 'addr', 'show', 'dev', this.#tunnel, 'scope', 'global']);
    const [link] = JSON.parse(said || '[]') as readonly ListedTunnel[];
    return (link?.addr_info ?? []).flatMap(({ local, prefixlen }) => (local ? [`${local}/${prefixlen}`] : []));
  }

  async #underlay(address: string): Promise<{ readonly link: string; readonly mtu: number }> {
    const said = await this.#options.run(['ip', '-j', 'addr', 'show', 'to', address]);
    const links = JSON.parse(said || '[]') as readonly { readonly ifname?: string; readonly mtu?: number }[];
    for (const { ifname, mtu } of links) if (ifname !== undefined && mtu !== undefined) return { link: ifname, mtu };
    throw new NetworkError(`no link of this machine has the node's address ${address}`);
  }

  async #hasTunnel(): Promise<boolean> {
    try {
      await this.#options.run(['ip', 'link', 'show', 'dev', this.#tunnel]);
      return true;
    } catch (error) {
      if (error instanceof NetworkError && error.message.includes('does not exist')) return false;
      throw error;
    }
  }

  async #isTunnelOf(address: string): Promise<boolean> {
    const said = await this.#options.run(['ip', '-d', 'link', 'show', 'dev', this.#tunnel]);
    return said.includes(` local ${address} `) && said.includes(hardwareAddress(address));
  }

  async #batch(tool: 'ip' | 'bridge', lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#options.run([tool, '-force', '-batch', '-'], linesText(lines));
  }
}

/** Of a tunnel's end: everybody knows it from the node's address. (Locally administered, one receiver.) */
function hardwareAddress(node: string): string {
  const hash = createHash('sha256').update(node).digest('hex');
  return ['0a', ...(hash.slice(0, 10).match(/../g) ?? [])].join(':');
}
