import { inRanges } from '@binnacle/base';

/** A packet in the middle of the kernel's chains. */
export interface ChainPacket {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly port: number;
  readonly marked: boolean;
  /** Its destination was rewritten. */
  readonly rewritten: boolean;
}

/** How a chain may end for a packet: where chance decides, in several ways. */
export interface ChainEnd {
  readonly verdict: 'return' | 'DNAT' | 'DROP' | 'REJECT' | 'MASQUERADE';
  /** Of DNAT. */
  readonly to?: string;
  readonly marked: boolean;
}

type Answer = 'yes' | 'no' | 'maybe';
type Chains = ReadonlyMap<string, readonly string[]>;

/** A packet's ways through chains, told by reading each rule: a small iptables. Throws at a word that it does not know. */
export function walkChain(
  { chains, machine }: { readonly chains: Chains; readonly machine: ReadonlySet<string> },
  chain: string,
  packet: ChainPacket,
): ChainEnd[] {
  const ends: ChainEnd[] = [];
  let live: readonly ChainPacket[] = [packet];
  const rules = chains.get(chain);
  if (rules === undefined) throw new TypeError(`no chain ${chain}`);
  for (const rule of rules) {
    const next: ChainPacket[] = [];
    for (const one of live) {
      const { answer, target, isGoto, to } = readRule(rule, one, machine);
      if (answer !== 'yes') next.push(one);
      if (answer === 'no') continue;
      if (target === 'MARK --or-mark') next.push({ ...one, marked: true });
      else if (target === 'MARK --xor-mark') next.push({ ...one, marked: false });
      else if (target === 'RETURN') ends.push({ verdict: 'return', marked: one.marked });
      else if (target === 'DNAT') ends.push({ verdict: 'DNAT', to, marked: one.marked });
      else if (target === 'DROP' || target === 'REJECT' || target === 'MASQUERADE')
        ends.push({ verdict: target, marked: one.marked });
      else {
        for (const end of walkChain({ chains, machine }, target, one)) {
          if (end.verdict !== 'return' || isGoto) ends.push(end);
          else next.push({ ...one, marked: end.marked });
        }
      }
    }
    live = next;
  }
  return [...ends, ...live.map(({ marked }): ChainEnd => ({ verdict: 'return', marked }))];
}

interface ReadRule {
  readonly answer: Answer;
  readonly target: string;
  readonly isGoto: boolean;
  readonly to: string;
}

function readRule(rule: string, packet: ChainPacket, machine: ReadonlySet<string>): ReadRule {
  const words = rule.split(' ');
  const take = (): string => words.shift() ?? '';
  let answer: Answer = 'yes';
  let isNot = false;
  const ask = (holds: boolean): void => {
    if (holds === isNot) answer = 'no';
    isNot = false;
  };
  const maybe = (): void => {
    if (answer === 'yes') answer = 'maybe';
  };
  for (let word = take(); word !== ''; word = take()) {
    if (word === '!') isNot = true;
    else if (word === '-s') ask(isIn(take(), packet.source));
    else if (word === '-d') ask(isIn(take(), packet.destination));
    else if (word === '-p') ask(take() === packet.protocol);
    else if (word === '--dport') ask(Number(take()) === packet.port);
    else if (word === '--ctstate') ask(take() === (packet.rewritten ? 'DNAT' : 'NEW') || !packet.rewritten);
    else if (word === '--mark') ask(take() !== '' && packet.marked);
    else if (word === '--src-type') ask(take() === 'LOCAL' && machine.has(packet.source));
    else if (word === '--dst-type') ask(take() === 'LOCAL' && machine.has(packet.destination));
    else if (word === '--probability' || word === '--rcheck') {
      if (word === '--probability') take();
      maybe();
    } else if (['-m', '--comment', '--mode', '--name', '--seconds'].includes(word)) take();
    else if (['--set', '--reap', '--rsource'].includes(word)) continue;
    else if (word === '-j' || word === '-g') return targetOf(answer, word === '-g', words);
    else throw new TypeError(`what is ${word} in ${rule}?`);
  }
  throw new TypeError(`no target: ${rule}`);
}

function targetOf(answer: Answer, isGoto: boolean, [target = '', ...more]: readonly string[]): ReadRule {
  if (target === 'MARK') return { answer, target: `MARK ${more[0]}`, isGoto, to: '' };
  return { answer, target, isGoto, to: target === 'DNAT' ? (more[1] ?? '') : '' };
}

function isIn(text: string, address: string): boolean {
  return text.includes('/') ? inRanges([text])(address) : text === address;
}
