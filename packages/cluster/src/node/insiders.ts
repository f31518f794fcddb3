import { ipRange, isInRange, plainAddress } from '@binnacle/base';
import { isLoopbackHost, ownAddresses } from './own-addresses.ts';

/** Whether a client is this machine itself or in one of these ranges (CIDRs, or addresses); absent: everybody is let in. */
export function isInsider(remote: string, insiders: readonly string[] | undefined): boolean {
  const address = plainAddress(remote);
  if (insiders === undefined || isLoopbackHost(address)) return true;
  const isIn = insiders.some((text) => {
    const range = ipRange(text);
    return range !== undefined && isInRange(range, address);
  });
  // Asked last: it costs a look at every link of the machine.
  return isIn || ownAddresses().includes(address);
}
