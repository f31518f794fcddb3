import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { isConditionTrue } from '@binnacle/api';
import type { CertificateRequest, ExtendedKeyUsage, KeyUsage } from '@binnacle/certificates';
import { isApproved, isIssued, kubeletClientFault, kubeletServingFault, SIGNERS } from '../signing-requests.ts';

/** Which certificate is made; milliseconds since the epoch. */
export interface CertificateWish {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly usages: readonly KeyUsage[];
  readonly extendedUsages: readonly ExtendedKeyUsage[];
}

/** Whether a request waits for us. */
export function isDue(request: CertificateSigningRequest): boolean {
  const signers: readonly string[] = Object.values(SIGNERS);
  const isOurs = signers.includes(request.spec.signerName);
  return isOurs && isApproved(request) && !isIssued(request) && !isConditionTrue(request.status?.conditions, 'Failed');
}

/** Why the signer that is named does not sign this, in upstream's words; undefined: it does. */
export function signingFault({ spec }: CertificateSigningRequest, request: CertificateRequest): string | undefined {
  const { usages = [] } = spec;
  switch (spec.signerName) {
    case SIGNERS.client:
      return clientFault(usages);
    case SIGNERS.kubeletClient:
      return kubeletClientFault(request, usages);
    case SIGNERS.kubeletServing:
      return kubeletServingFault(request, usages);
    default:
      return undefined;
  }
}

const CLIENT_USAGES = new Set(['digital signature', 'key encipherment', 'client auth']);

function clientFault(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !CLIENT_USAGES.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

const MINUTE = 60_000;
const BACKDATE_MS = 5 * MINUTE;
const LEAST_MS = 10 * MINUTE;
/** What lives shorter than this is not cut by how far it is backdated. */
const SHORT_MS = 8 * 60 * MINUTE;

/** What is granted: as long as was asked for, within ten minutes and the signer's own limit. */
export function grantFor(
  { spec }: CertificateSigningRequest,
  { nowMs, longestMs }: { readonly nowMs: number; readonly longestMs: number },
): CertificateWish {
  const asked = spec.expirationSeconds === undefined ? longestMs : spec.expirationSeconds * 1000;
  const lifeMs = asked > longestMs ? longestMs : Math.max(asked, LEAST_MS);
  const usages = spec.usages ?? [];
  return {
    notBefore: nowMs - BACKDATE_MS,
    notAfter: nowMs + (lifeMs < SHORT_MS ? lifeMs : lifeMs - BACKDATE_MS),
    usages: namesOf(usages, KEY_USAGES),
    extendedUsages: namesOf(usages, EXTENDED_USAGES),
  };
}

function namesOf<T>(usages: readonly string[], names: ReadonlyMap<string, T>): readonly T[] {
  return [...new Set(usages.flatMap((usage) => names.get(usage) ?? []))];
}

/** The usages of the API by X.509's names. */
const KEY_USAGES: ReadonlyMap<string, KeyUsage> = new Map([
  ['signing', 'digitalSignature'],
  ['digital signature', 'digitalSignature'],
  ['content commitment', 'contentCommitment'],
  ['key encipherment', 'keyEncipherment'],
  ['key agreement', 'keyAgreement'],
  ['data encipherment', 'dataEncipherment'],
  ['cert sign', 'keyCertSign'],
  ['crl sign', 'cRLSign'],
  ['encipher only', 'encipherOnly'],
  ['decipher only', 'decipherOnly'],
]);

const EXTENDED_USAGES: ReadonlyMap<string, ExtendedKeyUsage> = new Map([
  ['any', 'any'],
  ['server auth', 'serverAuth'],
  ['client auth', 'clientAuth'],
  ['code signing', 'codeSigning'],
  ['email protection', 'emailProtection'],
  ['s/mime', 'emailProtection'],
  ['ipsec end system', 'ipsecEndSystem'],
  ['ipsec tunnel', 'ipsecTunnel'],
  ['ipsec user', 'ipsecUser'],
  ['timestamping', 'timeStamping'],
  ['ocsp signing', 'ocspSigning'],
  ['microsoft sgc', 'microsoftServerGatedCrypto'],
  ['netscape sgc', 'netscapeServerGatedCrypto'],
]);
