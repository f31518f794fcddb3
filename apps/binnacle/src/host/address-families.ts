import { addressBytes, ipRange } from '@binnacle/base';
import { InvalidArgumentError } from 'commander';

/** `10.244.0.0/24`, or two with a comma between them, one of each family. Throws InvalidArgumentError. */
export function parseRanges(text: string): readonly string[] {
  const ranges = text.split(',').map((part) => part.trim());
  for (const range of ranges)
    if (!range.includes('/') || ipRange(range) === undefined)
      throw new InvalidArgumentError(`${range} is no range of addresses`);
  return refuseTwins(ranges);
}

/** An address, or two with a comma between them, one of each family. Throws InvalidArgumentError. */
export function parseAddresses(text: string): readonly string[] {
  const addresses = text.split(',').map((part) => part.trim());
  for (const address of addresses)
    if (addressBytes(address) === undefined) throw new InvalidArgumentError(`${address} is no address`);
  return refuseTwins(addresses);
}

/** Whether some of these are of IPv6. */
export function hasIPv6(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(':'));
}

function refuseTwins(texts: readonly string[]): readonly string[] {
  const families = new Set(texts.map((text) => text.includes(':')));
  if (families.size < texts.length) throw new InvalidArgumentError('expected one, or one of each family');
  return texts;
}
