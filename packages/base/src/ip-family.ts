/** Kubernetes' words. */
export type IpFamily = 'IPv4' | 'IPv6';

/** Of an address or a range; what is neither counts as IPv4. */
export function ipFamily(text: string): IpFamily {
  return text.includes(':') ? 'IPv6' : 'IPv4';
}

/** Those addresses and ranges that are of a family. */
export function ofFamily(texts: readonly string[], family: IpFamily): string[] {
  return texts.filter((text) => ipFamily(text) === family);
}
