/** The door of certificates: encoding, neutral. Keys and files are in `./node`. */
export { CertificateError } from './errors.ts';
export { keyPairProblem } from './key-pair.ts';
export { readAuthority } from './trust-anchor.ts';
export { readRequest } from './request.ts';
export type { CertificateRequest } from './request.ts';
export { encodeCertificate, encodeName, readIssuer, readNotAfter } from './certificate.ts';
export type {
  AlternativeName,
  CertificateContents,
  CertificateSubject,
  EncodedSubject,
  ExtendedKeyUsage,
  Issuer,
  KeyUsage,
  Signer,
} from './certificate.ts';
