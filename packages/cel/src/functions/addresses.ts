/** IP addresses and blocks of them. */
import { addressBytes, addressText, isMappedIpv4, networkBytes } from '@binnacle/base';
import { blockComparison, UNIT, walk } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import { LibraryValue } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const IP = 'net.IP';
const CIDR = 'net.CIDR';

class IpValue extends LibraryValue {
  override readonly typeName = IP;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other instanceof IpValue && String(other.bytes) === String(this.bytes);
  }
}

class CidrValue extends LibraryValue {
  override readonly typeName = CIDR;
  readonly bytes: Uint8Array;
  readonly bits: number;

  constructor(bytes: Uint8Array, bits: number) {
    super();
    this.bytes = bytes;
    this.bits = bits;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other instanceof CidrValue && other.bits === this.bits && String(other.bytes) === String(this.bytes);
  }
}

/** No address is written with more. */
const LENGTH_MAX = 64;

function readIp(text: string): IpValue {
  const bytes = text.length > LENGTH_MAX ? undefined : addressBytes(text);
  const shown = JSON.stringify(text.slice(0, LENGTH_MAX));
  if (bytes === undefined || hasLeadingZero(text)) {
    throw new EvaluationError(`IP Address ${shown} parse error during conversion from string: unable to parse IP`);
  }
  if (isMappedIpv4(bytes)) throw new EvaluationError(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return new IpValue(bytes);
}

function hasLeadingZero(text: string): boolean {
  return /(?:^|[.:])0\d+\./.test(text) || /\.0\d+$/.test(text);
}

function readCidr(text: string): CidrValue {
  const slash = text.lastIndexOf('/');
  const [, digits] = /^(0|[1-9]\d{0,2})$/.exec(text.slice(slash + 1)) ?? [];
  const why = 'network address parse error during conversion from string';
  const wrong = new EvaluationError(
    `${why}: ${why}: netip.ParsePrefix(${JSON.stringify(text.slice(0, LENGTH_MAX))}): no valid prefix`,
  );
  const address = text.slice(0, slash);
  const bytes = slash === -1 || address.length > LENGTH_MAX ? undefined : addressBytes(address);
  if (bytes === undefined || digits === undefined || Number(digits) > bytes.length * 8 || hasLeadingZero(address)) {
    throw wrong;
  }
  if (isMappedIpv4(bytes)) {
    throw new EvaluationError(`${why}: IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  }
  return new CidrValue(bytes, Number(digits));
}

function holds(cidr: Value | undefined, bytes: Uint8Array): boolean {
  const { bytes: own, bits } = cidr as CidrValue;
  return (
    own.length === bytes.length && String(networkBytes({ bytes: own, bits })) === String(networkBytes({ bytes, bits }))
  );
}

function holdsBlock(cidr: Value | undefined, other: CidrValue): boolean {
  return (cidr as CidrValue).bits <= other.bits && holds(cidr, other.bytes);
}

function reads(read: (text: string) => unknown, text: Value | undefined): boolean {
  try {
    read(text as string);
    return true;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return false;
  }
}

const of = (ip: Value | undefined): Uint8Array => (ip as IpValue).bytes;
const isV4 = (ip: Value | undefined): boolean => of(ip).length === 4;
const first = (ip: Value | undefined): number => of(ip)[0] ?? 0;
const second = (ip: Value | undefined): number => of(ip)[1] ?? 0;

function isLoopback(ip: Value | undefined): boolean {
  if (isV4(ip)) return first(ip) === 127;
  return of(ip).every((byte, i) => byte === (i === 15 ? 1 : 0));
}

function isLinkLocalUnicast(ip: Value | undefined): boolean {
  if (isV4(ip)) return first(ip) === 169 && second(ip) === 254;
  return first(ip) === 0xfe && (second(ip) & 0xc0) === 0x80;
}

function isLinkLocalMulticast(ip: Value | undefined): boolean {
  if (isV4(ip)) return first(ip) === 224 && second(ip) === 0 && of(ip)[2] === 0;
  return first(ip) === 0xff && (second(ip) & 0x0f) === 0x02;
}

const isMulticast = (ip: Value | undefined): boolean => (isV4(ip) ? (first(ip) & 0xf0) === 0xe0 : first(ip) === 0xff);
const isUnspecified = (ip: Value | undefined): boolean => of(ip).every((byte) => byte === 0);
const isBroadcast = (ip: Value | undefined): boolean => isV4(ip) && of(ip).every((byte) => byte === 255);

function isGlobalUnicast(ip: Value | undefined): boolean {
  return !isUnspecified(ip) && !isBroadcast(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}

const IPS: readonly Overload[] = [
  overload(`ip(string): ${IP}`, ([text]) => readIp(text as string), walk()),
  overload('isIP(string): bool', ([text]) => reads(readIp, text), walk()),
  overload(
    'ip.isCanonical(string): bool',
    ([text]) => addressText(readIp(text as string).bytes) === text,
    walk({ times: 2 }),
  ),
  overload(`string(${IP}): string`, ([ip]) => addressText(of(ip))),
  overload(`[${IP}].family(): int`, ([ip]) => (isV4(ip) ? 4n : 6n)),
  overload(`[${IP}].isUnspecified(): bool`, ([ip]) => isUnspecified(ip)),
  overload(`[${IP}].isLoopback(): bool`, ([ip]) => isLoopback(ip)),
  overload(`[${IP}].isLinkLocalMulticast(): bool`, ([ip]) => isLinkLocalMulticast(ip)),
  overload(`[${IP}].isLinkLocalUnicast(): bool`, ([ip]) => isLinkLocalUnicast(ip)),
  overload(`[${IP}].isGlobalUnicast(): bool`, ([ip]) => isGlobalUnicast(ip)),
];

const CIDRS: readonly Overload[] = [
  overload(`cidr(string): ${CIDR}`, ([text]) => readCidr(text as string), walk()),
  overload('isCIDR(string): bool', ([text]) => reads(readCidr, text), walk()),
  overload(
    `string(${CIDR}): string`,
    ([cidr]) => `${addressText((cidr as CidrValue).bytes)}/${(cidr as CidrValue).bits}`,
  ),
  overload(
    `[${CIDR}].containsIP(string): bool`,
    ([cidr, text]) => holds(cidr, readIp(text as string).bytes),
    blockComparison({ isText: true, isBlock: false }),
  ),
  overload(
    `[${CIDR}].containsIP(${IP}): bool`,
    ([cidr, ip]) => holds(cidr, of(ip)),
    blockComparison({ isText: false, isBlock: false }),
  ),
  overload(
    `[${CIDR}].containsCIDR(string): bool`,
    ([cidr, text]) => holdsBlock(cidr, readCidr(text as string)),
    blockComparison({ isText: true, isBlock: true }),
  ),
  overload(
    `[${CIDR}].containsCIDR(${CIDR}): bool`,
    ([cidr, other]) => holdsBlock(cidr, other as CidrValue),
    blockComparison({ isText: false, isBlock: true }),
  ),
  overload(`[${CIDR}].ip(): ${IP}`, ([cidr]) => new IpValue((cidr as CidrValue).bytes), UNIT),
  overload(`[${CIDR}].prefixLength(): int`, ([cidr]) => BigInt((cidr as CidrValue).bits)),
  overload(`[${CIDR}].masked(): ${CIDR}`, ([cidr]) => {
    const { bytes, bits } = cidr as CidrValue;
    return new CidrValue(networkBytes({ bytes, bits }), bits);
  }),
];

export const ADDRESSES: readonly Overload[] = [...IPS, ...CIDRS];
