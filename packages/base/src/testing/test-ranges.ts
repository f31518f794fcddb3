import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { CatalogueError } from '../error.ts';
import { ipRange, isInRange } from '../ip-range.ts';

/** Addresses that nobody else on this machine has while a test holds them: 10.N.0.0/16, cut up. */
export interface TestRanges {
  /** Pods of the first node; those of further nodes follow. */
  readonly pods: string;
  /** The same of IPv6, where a test wants both families. */
  readonly pods6: string;
  /** The first node's own address among its pods. */
  readonly podGateway: string;
  /** Nodes' addresses, where there are further ones. */
  readonly nodes: string;
  readonly nodes6: string;
  /** Told apart from every other holder's; short enough for a link. */
  readonly name: string;
  readonly release: () => void;
}

/** A route of the machine: `10.219.0.0/24` over `bn0123456789`. */
export interface MachineRoute {
  readonly link: string;
  readonly range: string;
}

/** Values of N: none of those that the product or a common network takes by default (10.0, 10.96, 10.244 …). */
const FIRST = 192;
const COUNT = 48;

/**
 * Takes ranges that no other test of this machine holds and that the machine has no route to. The hold ends with the
 * process at the latest: it is a socket without a file. A route that nobody holds is what an earlier test left, and is
 * told as a warning. Throws CatalogueError (`no-range`) when none is free.
 */
export async function takeTestRanges(): Promise<TestRanges> {
  const routes = machineRoutes(readFileSync('/proc/net/route', 'utf8'));
  for (let tried = 0; tried < COUNT; tried++) {
    // Not all begin at the same one: what the kernel remembers of a connection of the last run is of no harm then.
    const n = FIRST + ((process.pid + tried) % COUNT);
    const hold = await holdSocket(`\0binnacle-test-ranges-${n}`);
    if (hold === undefined) continue;
    const taken = routes.find((route) => overlapsSlot(route, n));
    if (taken === undefined) return rangesOf(n, hold);
    process.emitWarning(`a test left a route to ${taken.range} over ${taken.link} behind`);
    hold.close();
  }
  throw new CatalogueError('no-range', `all ranges from 10.${FIRST} to 10.${FIRST + COUNT - 1} are taken`);
}

function rangesOf(n: number, hold: Server): TestRanges {
  return {
    pods: `10.${n}.0.0/24`,
    pods6: `fd10:${n}::/64`,
    podGateway: `10.${n}.0.1`,
    nodes: `10.${n}.128.0/24`,
    nodes6: `fd10:${n}:128::/64`,
    name: `bntest${n}`,
    release: () => {
      hold.close();
    },
  };
}

/** Listens on a name of the network namespace; undefined where somebody else does. */
function holdSocket(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(name, () => resolve(server.unref()));
  });
}

/** The routes in a text of `/proc/net/route`, but the default one. */
export function machineRoutes(text: string): MachineRoute[] {
  const lines = text.split('\n').slice(1);
  const rows = lines.map((line) => line.trim().split(/\s+/)).filter((cells) => cells.length > 7);
  return rows.flatMap((cells) => {
    const [link = '', network = ''] = cells;
    const mask = Number.parseInt(cells[7] ?? '', 16);
    return mask === 0 ? [] : [{ link, range: `${addressOfHex(network)}/${bitsOf(mask)}` }];
  });
}

/** The kernel prints the four bytes as a number of this machine: the first byte is the last one printed. */
function addressOfHex(text: string): string {
  const bytes = text.match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}

function bitsOf(mask: number): number {
  return mask.toString(2).replaceAll('0', '').length;
}

/** Whether a route leads into 10.n.0.0/16, or past it. */
export function overlapsSlot({ range }: MachineRoute, n: number): boolean {
  const network = ipRange(range);
  return range.startsWith(`10.${n}.`) || (network !== undefined && isInRange(network, `10.${n}.0.0`));
}
