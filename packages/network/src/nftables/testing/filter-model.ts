import { inRanges } from '@binnacle/base';
import type { ForwardedPacket } from '../../policy-path.ts';
import { NetworkError } from '../../errors.ts';

type Verdict =
  | { readonly to: 'accept' | 'drop' | 'continue' }
  | { readonly to: 'jump' | 'goto'; readonly chain: string };

/**
 * As much of nftables as tables of policies use, told slowly: takes the lines of batches as the kernel does, with its
 * refusals, and says what becomes of a packet in the forward hook.
 */
export class FilterModel {
  readonly #chains = new Map<string, { priority?: number; rules: string[] }>();
  readonly #sets = new Map<string, Map<string, string>>();

  /** All lines of a batch; throws NetworkError for one that the kernel would not take. */
  apply(lines: readonly string[]): void {
    for (const line of lines) this.#line(line);
  }

  /** How much there is, to see that nothing is left. */
  get size(): { readonly chains: number; readonly sets: number } {
    return { chains: this.#chains.size, sets: this.#sets.size };
  }

  /** Whether a forwarded packet that begins a connection passes. */
  passes(packet: ForwardedPacket): boolean {
    const bases = [...this.#chains].filter(([, { priority }]) => priority !== undefined);
    bases.sort(([, a], [, b]) => (a.priority ?? 0) - (b.priority ?? 0));
    return bases.every(([name]) => this.#walk(name, packet).to !== 'drop');
  }

  #line(line: string): void {
    const [, verb = '', kind = '', , , name = '', rest = ''] =
      /^(\w+) (\w+) (\w+) (\S+)(?: (\S+))?(?: ([^]*))?$/.exec(line) ?? [];
    if (kind === 'table') {
      this.#chains.clear();
      this.#sets.clear();
    } else if (kind === 'chain') this.#chain(verb, name, rest);
    else if (kind === 'rule') this.#named(this.#chains, name).rules.push(this.#checked(rest));
    else if (kind === 'element') this.#elements(verb, name, rest);
    else this.#set(verb, name);
  }

  #chain(verb: string, name: string, rest: string): void {
    const priority = /priority (-?\d+)/.exec(rest)?.[1];
    if (verb === 'add') {
      if (!this.#chains.has(name))
        this.#chains.set(name, { rules: [], ...(priority === undefined ? {} : { priority: Number(priority) }) });
      return;
    }
    const chain = this.#named(this.#chains, name);
    if (verb === 'flush') chain.rules = [];
    else if (this.#isNamed(name)) throw new NetworkError(`${name} is in use`);
    else this.#chains.delete(name);
  }

  #set(verb: string, name: string): void {
    if (verb === 'add') {
      if (!this.#sets.has(name)) this.#sets.set(name, new Map());
      return;
    }
    const set = this.#named(this.#sets, name);
    if (verb === 'flush') set.clear();
    else if (this.#isNamed(`@${name}`)) throw new NetworkError(`${name} is in use`);
    else this.#sets.delete(name);
  }

  #elements(verb: string, name: string, text: string): void {
    const set = this.#named(this.#sets, name);
    for (const element of text.slice(2, -2).split(', ')) {
      const [key = '', value = ''] = element.split(' : ');
      if (verb === 'delete') {
        if (!set.delete(key)) throw new NetworkError(`${name} has no ${key}`);
        continue;
      }
      const had = set.get(key);
      if (had !== undefined && had !== value) throw new NetworkError(`${name} has another ${key}`);
      set.set(key, this.#checked(value));
    }
  }

  /** What names something that is not there is not taken. */
  #checked(text: string): string {
    for (const [, set = ''] of text.matchAll(/@(\S+)/g)) this.#named(this.#sets, set);
    for (const [, chain = ''] of text.matchAll(/(?:jump|goto) (\S+)/g)) this.#named(this.#chains, chain);
    return text;
  }

  #named<T>(all: ReadonlyMap<string, T>, name: string): T {
    const found = all.get(name);
    if (found === undefined) throw new NetworkError(`there is no ${name}`);
    return found;
  }

  #isNamed(name: string): boolean {
    const texts = [...this.#chains.values()].flatMap(({ rules }) => rules);
    const values = [...this.#sets.values()].flatMap((set) => [...set.values()]);
    return [...texts, ...values].some((text) => text.split(' ').includes(name));
  }

  #walk(name: string, packet: ForwardedPacket): Verdict {
    for (const rule of this.#named(this.#chains, name).rules) {
      const verdict = this.#rule(rule, packet);
      if (verdict.to === 'continue') continue;
      if (!('chain' in verdict)) return verdict;
      const there = this.#walk(verdict.chain, packet);
      if (there.to !== 'continue' || verdict.to === 'goto') return there;
    }
    return { to: 'continue' };
  }

  #rule(rule: string, packet: ForwardedPacket): Verdict {
    let rest = rule;
    for (;;) {
      const vmap = /^(\S+ \S+(?: \. \S+ \S+)*) vmap @(\S+)$/.exec(rest);
      if (vmap !== null) {
        const key = fields(vmap[1] ?? '', packet);
        return verdictOf((key && this.#named(this.#sets, vmap[2] ?? '').get(key)) ?? 'continue');
      }
      const match = MATCH.exec(rest);
      if (match === null) return verdictOf(rest);
      if (!this.#holds(match, packet)) return { to: 'continue' };
      rest = rest.slice(match[0].length);
    }
  }

  #holds([, left = '', not, right = '']: RegExpExecArray, packet: ForwardedPacket): boolean {
    // A packet that begins a connection, and asks for no neighbour.
    if (left === 'ct state' || left === 'icmpv6 type') return false;
    const value = fields(left, packet);
    if (value === undefined) return false;
    const inside = right.startsWith('@')
      ? this.#named(this.#sets, right.slice(1)).has(value)
      : right
          .replace(/^\{ | \}$/g, '')
          .split(', ')
          .some((one) => isWithin(one, value));
    return inside === (not === undefined);
  }
}

const MATCH =
  /^((?:ct state|icmpv6 type|(?:ip6?|meta|th|tcp|udp|sctp) \w+(?: \. (?:ip6?|meta|th) \w+)*)) (!= )?(@\S+|\{ [^}]* \}|(?!accept$|drop$)\S+) /;

function verdictOf(text: string): Verdict {
  const [to = '', chain = ''] = text.split(' ');
  if (to === 'jump' || to === 'goto') return { to, chain };
  if (to === 'accept' || to === 'drop' || to === 'continue') return { to };
  throw new NetworkError(`what is "${text}"?`);
}

/** The fields of a packet that are asked for; undefined where it has none such. */
function fields(asked: string, packet: ForwardedPacket): string | undefined {
  const values = asked.split(' . ').map((field) => fieldOf(field, packet));
  return values.includes(undefined) ? undefined : values.join(' . ');
}

function fieldOf(field: string, { source, destination, protocol, port }: ForwardedPacket): string | undefined {
  const [layer = '', name = ''] = field.split(' ');
  const six = source.includes(':');
  const hasPorts = protocol !== 'other';
  if (layer === 'ip' || layer === 'ip6') {
    if ((layer === 'ip6') !== six) return undefined;
    return name === 'saddr' ? source : destination;
  }
  if (field === 'meta nfproto') return six ? 'ipv6' : 'ipv4';
  if (field === 'meta l4proto') return protocol;
  if (name === 'dport' && hasPorts && (layer === 'th' || layer === protocol)) return `${port}`;
  return undefined;
}

function isWithin(text: string, value: string): boolean {
  if (text === value) return true;
  const ports = /^(\d+)-(\d+)$/.exec(text);
  if (ports !== null) return Number(ports[1]) <= Number(value) && Number(value) <= Number(ports[2]);
  return inRanges([text])(value);
}
