import { addressBytes, addressText, isMappedIpv4, plainBytes } from '@binnacle/base';
import { hasLeadingZeros, isOddlyWritten, masked, parseRange } from './address.ts';
import type { FieldPath } from './path.ts';
import type { Warnings } from './warnings.ts';

/** Of an address that others may read as another one, or may not find again as it is not in its canonical form (RFC 5952). */
export function warnOfIp(ip: string, path: FieldPath, warnings: Warnings): void {
  const bytes = addressBytes(ip);
  if (bytes === undefined) return;
  if (hasLeadingZeros(bytes, ip) || isMappedIpv4(bytes)) {
    warnings.add(path, `non-standard IP address ${quoted(ip)} is invalid: use ${quoted(plainText(bytes))}`);
  } else if (addressText(bytes) !== ip) {
    const canonical = quoted(addressText(bytes));
    warnings.add(path, `IPv6 address ${quoted(ip)} should be in RFC 5952 canonical format (${canonical})`);
  }
}

/** Of a range likewise, and of one that is not named by its first address. */
export function warnOfCidr(cidr: string, path: FieldPath, warnings: Warnings): void {
  const range = parseRange(cidr);
  if (range === undefined) return;
  const { bytes, length } = range;
  const first = masked(range);
  const canonical = `${plainText(first)}/${isMappedIpv4(bytes) ? length - 96 : length}`;
  const isAmbiguous = addressText(first) !== addressText(bytes);
  if (isAmbiguous) {
    const single = `${plainText(bytes)}/${8 * bytes.length}`;
    const choice = `${quoted(canonical)} or ${quoted(single)}`;
    warnings.add(path, `CIDR value ${quoted(cidr)} is ambiguous in this context (should be ${choice}?)`);
  }
  if (isOddlyWritten(range) || isMappedIpv4(bytes)) {
    warnings.add(path, `non-standard CIDR value ${quoted(cidr)} is invalid: use ${quoted(canonical)}`);
  } else if (!isAmbiguous && canonical !== cidr) {
    warnings.add(path, `IPv6 CIDR value ${quoted(cidr)} should be in RFC 5952 canonical format (${quoted(canonical)})`);
  }
}

function plainText(bytes: Uint8Array): string {
  return addressText(plainBytes(bytes));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
