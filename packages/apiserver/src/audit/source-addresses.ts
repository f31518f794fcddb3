import { addressBytes, addressText, plainBytes } from '@binnacle/base';
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
          .map((one) => plain(one.trim()))
          .filter((one) => one !== '');
  const real = plain(request.header('x-real-ip'));
  if (real !== '' && !found.includes(real)) found.push(real);
  const remote = plain(request.remoteAddress?.() ?? '');
  if (remote !== '' && found.at(-1) !== remote) found.push(remote);
  return found;
}

/** An address as everybody writes it, one of IPv4 also where a socket for both families shows it; empty for what is none. */
function plain(text: string): string {
  const bytes = addressBytes(text);
  return bytes === undefined ? '' : addressText(plainBytes(bytes));
}
