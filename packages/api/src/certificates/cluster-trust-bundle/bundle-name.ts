import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { names } from '@binnacle/machinery';

/** What a bundle of a signer (empty: of none) may be called: what is wrong with a name, in upstream's words. */
export function bundleNameErrors(name: string, signerName: string): string[] {
  if (signerName === '') {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : names.subdomainErrors(name);
  }
  const prefix = bundlePrefix(signerName);
  return name.startsWith(prefix)
    ? names.subdomainErrors(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

/** Of a name that is only referred to: which signer's it is, it tells itself. */
export function bundleReferenceErrors(name: string): string[] {
  const at = name.lastIndexOf(':');
  return bundleNameErrors(name, at === -1 ? '' : name.slice(0, at).replaceAll(':', '/'));
}

/** What a signer's bundle is called that is published by the cluster itself: by the first twelve bytes of its SHA-256. */
export function publishedBundleName(signerName: string, trustBundle: string): string {
  return `${bundlePrefix(signerName)}${bytesToHex(sha256(utf8ToBytes(trustBundle)).subarray(0, 12))}`;
}

/** What the names of a signer's bundles begin with: `example.com/foo` → `example.com:foo:`. */
export function bundlePrefix(signerName: string): string {
  return `${signerName.replaceAll('/', ':')}:`;
}
