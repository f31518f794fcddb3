const MAPPED = '::ffff:';

/**
 * The 4 or 16 bytes of an IP address in text; undefined for what is none. Leading zeros in IPv4 are let pass and read
 * as decimal, as Kubernetes does for the sake of old objects.
 */
export function addressBytes(address: string): Uint8Array | undefined {
  return address.includes(':') ? v6Bytes(address) : v4Bytes(address);
}

function v4Bytes(address: string): Uint8Array | undefined {
  const parts = address.split('.');
  const valid = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
  return valid ? Uint8Array.from(parts.map(Number)) : undefined;
}

function v6Bytes(address: string): Uint8Array | undefined {
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map(groupsOf);
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return Uint8Array.from(
    groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
}

/** Hexadecimal groups; an IPv4 address at the end counts as two. */
function groupsOf(half: string): readonly string[] {
  if (half === '') return [];
  const groups = half.split(':');
  const last = v4Bytes(groups.at(-1) ?? '');
  if (last === undefined) return groups;
  const [a = 0, b = 0, c = 0, d = 0] = last;
  return [...groups.slice(0, -1), (a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

/** The canonical text of 4 or 16 bytes: RFC 5952 for IPv6, mapped IPv4 addresses as `::ffff:1.2.3.4`. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (isMappedIpv4(bytes)) return `${MAPPED}${bytes.subarray(12).join('.')}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  const run = longestZeroRun(groups);
  if (run === undefined) return groups.join(':');
  return `${groups.slice(0, run.start).join(':')}::${groups.slice(run.start + run.length).join(':')}`;
}

/**
 * The one spelling of an address, for whoever compares or passes on what is text: others read a leading zero as octal,
 * and two spellings as two addresses. Undefined for what is none.
 */
export function canonicalAddress(address: string): string | undefined {
  const bytes = addressBytes(address);
  return bytes && addressText(bytes);
}

/** IPv4 in the dress of IPv6: `::ffff:1.2.3.4`. */
export function isMappedIpv4(bytes: Uint8Array): boolean {
  return bytes.length === 16 && bytes.subarray(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 0xff));
}

/** An IPv4 address without the dress of IPv6, where it wears it. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return isMappedIpv4(bytes) ? bytes.subarray(12) : bytes;
}

/** The same of a socket's address, which is in its canonical text: `::ffff:10.0.0.1` is `10.0.0.1`. Asked of each request. */
export function plainAddress(address: string): string {
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address;
}

function longestZeroRun(groups: readonly string[]): { readonly start: number; readonly length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === '0') length++;
    if (length > 1 && length > (best?.length ?? 0)) best = { start, length };
  }
  return best;
}
