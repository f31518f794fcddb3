import type { NodeRules } from './rules.ts';

/** The mark of packets that are to be masqueraded, as tools write it: `0x4000`. */
export function maskMark({ masqueradeBit }: Pick<NodeRules, 'masqueradeBit'>): string {
  return `0x${(2 ** masqueradeBit).toString(16)}`;
}
