import type { UserInfo } from '@binnacle/machinery';

/** In the way of a header's name (RFC 9110, 5.6.2) but letters in capitals, which headers do not keep. */
const KEPT = /[^!#$&'*+\-.^_`|~0-9a-z]/gu;

/** Who asks, in the headers by which the front proxy of a cluster tells it (API aggregation, "Request-header"). */
export function remoteUserHeaders(user: UserInfo): { readonly [name: string]: string | readonly string[] } {
  const { name, uid = '', groups, extra = {} } = user;
  return {
    'x-remote-user': name,
    ...(uid === '' ? {} : { 'x-remote-uid': uid }),
    ...(groups.length === 0 ? {} : { 'x-remote-group': groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`x-remote-extra-${escapeKey(key)}`, values ?? []]),
    ),
  };
}

function escapeKey(key: string): string {
  return key.replaceAll(KEPT, (letter) =>
    [...new TextEncoder().encode(letter)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
