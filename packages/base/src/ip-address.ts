/** The 4 or 16 bytes of an IP address in text; undefined for what is none. */
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
