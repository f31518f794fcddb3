import { addressBytes } from '@binnacle/base';
import type { ApiRequest } from '../request/api-request.ts';

/** A header may say what it likes: of forwarded addresses so many are kept. */
const ADDRESSES_MAX = 32;

/** Where a request comes from, as far back as those who passed it on say; who connected comes last. */
export function sourceAddresses(request: ApiRequest): readonly string[] {
  const forwarded = request.header('x-forwarded-for');
  const found =
    forwarded === ''
      ? []
      : forwarded
          .split(',', ADDRESSES_MAX)
          .map((one) => one.trim())
          .filter(isAddress);
  const real = request.header('x-real-ip');
  if (isAddress(real) && !found.includes(real)) found.push(real);
  const remote = plain(request.remoteAddress?.() ?? '');
  if (isAddress(remote) && found.at(-1) !== remote) found.push(remote);
  return found;
}

function isAddress(text: string): boolean {
  return text !== '' && addressBytes(text) !== undefined;
}

/** A socket for both families shows IPv4 addresses as IPv6 ones. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
