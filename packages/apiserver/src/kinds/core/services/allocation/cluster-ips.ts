import { SERVICE_CIDRS } from '@binnacle/api';
import type { IPAddress, ServiceCIDR } from '@binnacle/api/networking/v1';
import { CatalogueError, ipFamily, randomBelow } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { UNCOUNTED } from '../../../../ports/measures.ts';
import type { AllocationMeasures, AllocationScope, AllocationStanding } from '../../../../ports/measures.ts';
import type { ServerWorld } from '../../../../ports/world.ts';
import { addressText, cidrContains, cidrSize, parseAddress, parseCidr } from './address.ts';
import type { Address, Cidr } from './address.ts';
import type { Family } from './ip-families.ts';

export const IP_ADDRESSES = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };

/** Why an address cannot be had; the messages are upstream's. */
export class ClusterIpError extends CatalogueError {
  constructor(code: 'allocated' | 'mismatch' | 'full') {
    const messages = {
      allocated: 'provided IP is already allocated',
      mismatch: 'the provided network does not match the current range',
      full: 'range is full',
    };
    super(code, messages[code]);
  }
}

/** Whose address it is. */
export interface AddressOwner {
  readonly namespace: string;
  readonly name: string;
}

type World = Pick<ServerWorld, 'cache' | 'loopback' | 'random'> & {
  /** Absent: nobody keeps score. */
  readonly measures?: AllocationMeasures;
};

/** An address that was had; one that the owner had already is not given back when its write fails. */
export interface ClaimedIp {
  readonly ip: string;
  readonly isNew: boolean;
}

/** How often an address that looked free may turn out to be taken by another server. */
const ATTEMPTS = 16;
/** The lower part of a range is left to addresses that are asked for by name: a sixteenth, between 16 and 256. */
const STATIC_MIN = 16n;
const STATIC_MAX = 256n;

/**
 * Gives out cluster IPs. An IPAddress object named like the address is the claim, so that its creation decides
 * between several API servers (docs/decisions/0051-service-allocation.md).
 */
export class ClusterIps {
  readonly #world: World;
  readonly #configured: readonly Cidr[];
  readonly #taken = new Set<string>();
  readonly #unfollow: () => void;

  constructor(world: World, configured: readonly string[]) {
    this.#world = world;
    this.#configured = configured.map(parseCidr);
    this.#unfollow = world.cache.follow(IP_ADDRESSES, (before, after) => this.#follow(before, after));
  }

  close(): void {
    this.#unfollow();
  }

  /** The families that the server was started with; the first is the default. */
  get families(): readonly Family[] {
    return this.#configured.map(familyOf);
  }

  /** Any free address. Throws ClusterIpError `full`. */
  claimAny(family: Family, owner: AddressOwner, dryRun: boolean): Promise<ClaimedIp> {
    return this.#counted({ dryRun, scope: 'dynamic', family }, () => this.#claimAny(family, owner, dryRun));
  }

  async #claimAny(family: Family, owner: AddressOwner, dryRun: boolean): Promise<ClaimedIp> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const ip = this.#pick(family);
      if (dryRun || (await this.#create(ip, owner))) return { ip, isNew: true };
    }
    throw new ClusterIpError('full');
  }

  /** This address, in its canonical spelling. Throws ClusterIpError `allocated`, `mismatch`. */
  claim(text: string, owner: AddressOwner, dryRun: boolean): Promise<ClaimedIp> {
    const family = ipFamily(text);
    return this.#counted({ dryRun, scope: 'static', family }, () => this.#claim(text, owner, dryRun));
  }

  async #claim(text: string, owner: AddressOwner, dryRun: boolean): Promise<ClaimedIp> {
    const address = parseAddress(text);
    if (address === undefined || !this.#ranges().some((range) => isUsable(range, address))) {
      throw new ClusterIpError('mismatch');
    }
    const ip = addressText(address);
    if (dryRun ? !this.#taken.has(ip) : await this.#create(ip, owner)) return { ip, isNew: true };
    // Left behind by a server that died before it wrote this very Service: the `kubernetes` one, at worst.
    if (await this.#isOf(ip, owner)) return { ip, isNew: false };
    throw new ClusterIpError('allocated');
  }

  /** How many addresses of each range are given out, and how many are left. */
  standing(): AllocationStanding['ranges'] {
    const taken = [...this.#taken].flatMap((ip) => parseAddress(ip) ?? []);
    return this.#ranges().map((range) => {
      const [low, high] = usableOffsets(range);
      const allocated = taken.filter((address) => cidrContains(range, address)).length;
      return { cidr: cidrText(range), allocated, available: Number(high - low + 1n) - allocated };
    });
  }

  async #counted(
    { dryRun, scope, family }: { readonly dryRun: boolean; readonly scope: AllocationScope; readonly family: Family },
    claim: () => Promise<ClaimedIp>,
  ): Promise<ClaimedIp> {
    const { measures = UNCOUNTED } = this.#world;
    const began = measures.now();
    try {
      const claimed = await claim();
      if (!dryRun) measures.address(this.#cidrOf(claimed.ip, family), scope, measures.now() - began);
      return claimed;
    } catch (error) {
      if (!dryRun && error instanceof ClusterIpError) measures.noAddress(this.#cidrOf('', family), scope);
      throw error;
    }
  }

  /** The range that an address is of; of none: the first range of its family. */
  #cidrOf(ip: string, family: Family): string {
    const [address, ranges] = [parseAddress(ip), this.#ranges()];
    const own = address === undefined ? undefined : ranges.find((range) => cidrContains(range, address));
    const range = own ?? ranges.find((one) => familyOf(one) === family);
    return range === undefined ? '' : cidrText(range);
  }

  async free(ip: string): Promise<void> {
    try {
      await this.#world.loopback.call({ verb: 'delete', resource: IP_ADDRESSES, name: ip });
    } catch (error) {
      if (!status.isNotFound(error)) throw error;
    }
  }

  /** Addresses whose Service is not there: what a server that died between two writes left behind. */
  findOrphans(hasService: (owner: AddressOwner) => boolean): string[] {
    const all = this.#world.cache.list(IP_ADDRESSES) as readonly IPAddress[];
    return all
      .filter(({ spec: { parentRef } }) => {
        if (parentRef?.resource !== 'services' || (parentRef.group ?? '') !== '') return false;
        return !hasService({ namespace: parentRef.namespace ?? '', name: parentRef.name ?? '' });
      })
      .map((address) => address.metadata.name ?? '');
  }

  /** The ServiceCIDRs of the cluster; before there are any, what the server was started with. */
  #ranges(): readonly Cidr[] {
    const objects = this.#world.cache.list(SERVICE_CIDRS) as readonly ServiceCIDR[];
    const live = objects.filter((object) => (object.metadata.deletionTimestamp ?? '') === '');
    const ranges = live.flatMap((object) => object.spec.cidrs ?? []).map(parseCidr);
    return ranges.length === 0 ? this.#configured : ranges;
  }

  #pick(family: Family): string {
    const ranges = this.#ranges().filter((range) => familyOf(range) === family);
    for (const range of ranges) {
      const [low, high] = usableOffsets(range);
      const dynamic = low + staticSize(range);
      const found = this.#search(range, dynamic, high) ?? this.#search(range, low, dynamic - 1n);
      if (found !== undefined) return found;
    }
    throw new ClusterIpError('full');
  }

  /** From a random place on, round the block once. Bounded by the number of addresses that are taken. */
  #search(range: Cidr, first: bigint, last: bigint): string | undefined {
    const size = last - first + 1n;
    if (size <= 0n) return undefined;
    const bound = size > 0xffff_ffffn ? 0xffff_ffff : Number(size);
    const start = BigInt(randomBelow(this.#world.random, bound));
    const tries = size < BigInt(this.#taken.size + 1) ? size : BigInt(this.#taken.size + 1);
    for (let i = 0n; i < tries; i++) {
      const value = range.base + first + ((start + i) % size);
      const ip = addressText({ family: range.family, value });
      if (!this.#taken.has(ip)) return ip;
    }
    return undefined;
  }

  async #create(ip: string, owner: AddressOwner): Promise<boolean> {
    const body: IPAddress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: {
        name: ip,
        labels: {
          'ipaddress.kubernetes.io/ip-family': ipFamily(ip),
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { group: '', resource: 'services', ...owner } },
    };
    this.#taken.add(ip);
    try {
      await this.#world.loopback.call({ verb: 'create', resource: IP_ADDRESSES, body });
      return true;
    } catch (error) {
      if (status.isAlreadyExists(error)) return false;
      this.#taken.delete(ip);
      throw error;
    }
  }

  async #isOf(ip: string, owner: AddressOwner): Promise<boolean> {
    const claim = (await this.#world.cache.getLive(IP_ADDRESSES, '', ip)) as IPAddress | undefined;
    const parent = claim?.spec.parentRef;
    return parent?.resource === 'services' && parent.namespace === owner.namespace && parent.name === owner.name;
  }

  #follow(before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (after !== undefined) this.#taken.add(after.metadata.name ?? '');
    else if (before !== undefined) this.#taken.delete(before.metadata.name ?? '');
  }
}

function cidrText({ family, base, prefix }: Cidr): string {
  return `${addressText({ family, value: base })}/${prefix}`;
}

function familyOf(range: Cidr): Family {
  return range.family === 4 ? 'IPv4' : 'IPv6';
}

/** The first and the last offset that may be given out: not the range's own address, not IPv4's broadcast. */
function usableOffsets(range: Cidr): readonly [bigint, bigint] {
  const size = cidrSize(range);
  return size <= 2n ? [0n, size - 1n] : [1n, range.family === 4 ? size - 2n : size - 1n];
}

function isUsable(range: Cidr, address: Address): boolean {
  if (!cidrContains(range, address)) return false;
  const [low, high] = usableOffsets(range);
  const offset = address.value - range.base;
  return offset >= low && offset <= high;
}

function staticSize(range: Cidr): bigint {
  const size = cidrSize(range);
  const share = size / 16n;
  if (size < STATIC_MIN * 2n) return 0n;
  return share < STATIC_MIN ? STATIC_MIN : share > STATIC_MAX ? STATIC_MAX : share;
}
